import { asFailure } from "../../../core/failure.ts";
import { isTenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { missedProgram } from "../../operate/snapshots/missed-program.ts";
import { programHistory } from "../../operate/snapshots/program-history.ts";
import { snapshotHistory } from "../../operate/snapshots/snapshot-history.ts";
import { publishedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import type { AskedDatabase } from "../asked-database.ts";
import { type Explanation, explainProgram } from "../explain/explain-program.ts";
import { readRemoved } from "../read-removed.ts";
import { realCause } from "./real-cause.ts";
import type { Miss, RealCause, RequestFacts } from "./request-facts.ts";
import { type RegistryReading, registryReading, tokenFinding } from "./token-finding.ts";

/** A request, what is known of it, and why it was answered as it was. */
export interface ExplainedRequest extends RequestFacts, RealCause {}

export interface RequestContext {
  readonly store: ObjectStore;
  /** Asked about a program that was not found. */
  readonly database: AskedDatabase;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Holds what the log says against the store. Throws `busy`, and nothing for the store's sake: the log alone explains much. */
export async function explainRequests(
  lines: readonly RequestLogLine[],
  context: RequestContext,
): Promise<readonly ExplainedRequest[]> {
  const [registry, { removed }] = await Promise.all([
    registryReading(context.store),
    readRemoved(context.store, context.signal),
  ]);
  // A client that uses one id for many requests often asks for one program again and again.
  const asked = new Map<string, Promise<Explanation>>();
  const explained: ExplainedRequest[] = [];
  const keys = keysIn(registry);
  for (const line of lines) {
    const isMissed = line.status === 404 && line.route === "detail";
    const miss = isMissed ? await missOf(line, context, asked) : null;
    const token = tokenFinding(registry, line.tokenId);
    const removedAt = token.kind === "known" ? removed.get(token.token.tenantId)?.removedAt : undefined;
    const facts: RequestFacts = { line, now: context.now, token, keys, removedAt: removedAt ?? null, miss };
    explained.push({ ...facts, ...realCause(facts) });
  }
  return explained;
}

function keysIn(reading: RegistryReading): RequestFacts["keys"] {
  if (reading.kind === "unavailable") return "unknown";
  return reading.registry.tokens.length === 0 ? "none" : "some";
}

async function missOf(
  { tenantId, programId, snapshotId, time }: RequestLogLine,
  { store, database, now, signal }: RequestContext,
  asked: Map<string, Promise<Explanation>>,
): Promise<Miss | null> {
  if (tenantId === null || !isTenantId(tenantId) || programId === null) return null;
  try {
    const live = await publishedSnapshot(store, tenantId, signal);
    if (live === undefined) return null;
    const snapshots = await snapshotHistory(store, live, signal);
    const key = JSON.stringify([tenantId, programId]);
    const explaining =
      asked.get(key) ?? explainProgram(store, database, { tenantId, programId }, now, signal);
    asked.set(key, explaining);
    return {
      missed: missedProgram(snapshots, programId, snapshotId, new Date(time)),
      history: programHistory(snapshots, live.manifest, programId),
      now: await explaining,
    };
  } catch (error) {
    if (["interrupted", "busy"].includes(asFailure(error).code) || signal.aborted) throw error;
    return null;
  }
}
