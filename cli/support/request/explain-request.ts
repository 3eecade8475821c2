import { asFailure } from "../../../core/failure.ts";
import { isTenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RequestLogLine } from "../../gateway-log/request-line.ts";
import { type ProgramHistory, programHistory } from "../../snapshot/program-history.ts";
import { snapshotHistory } from "../../snapshot/snapshot-history.ts";
import { publishedSnapshot } from "../../snapshot/stored-snapshot.ts";
import { realCause } from "./real-cause.ts";
import type { RealCause, RequestFacts } from "./request-facts.ts";
import { registryReading, tokenFinding } from "./token-finding.ts";

/** A request, what is known of it, and why it was answered as it was. */
export interface ExplainedRequest extends RequestFacts, RealCause {}

/** Holds what the log says against the store. Never throws for the store's sake: the log alone explains much. */
export async function explainRequests(
  store: ObjectStore,
  lines: readonly RequestLogLine[],
  signal: AbortSignal,
): Promise<readonly ExplainedRequest[]> {
  const registry = await registryReading(store);
  const explained: ExplainedRequest[] = [];
  for (const line of lines) {
    const isMissed = line.status === 404 && line.route === "detail";
    const history = isMissed ? await historyOf(store, line, signal) : null;
    const facts: RequestFacts = { line, token: tokenFinding(registry, line.tokenId), history };
    explained.push({ ...facts, ...realCause(facts) });
  }
  return explained;
}

async function historyOf(
  store: ObjectStore,
  { tenantId, programId }: RequestLogLine,
  signal: AbortSignal,
): Promise<ProgramHistory | null> {
  if (tenantId === null || !isTenantId(tenantId) || programId === null) return null;
  try {
    const live = await publishedSnapshot(store, tenantId, signal);
    if (live === undefined) return null;
    return programHistory(await snapshotHistory(store, live, signal), live.manifest, programId);
  } catch (error) {
    if (asFailure(error).code === "interrupted") throw error;
    return null;
  }
}
