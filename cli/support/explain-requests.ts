import { isTenantId } from "../../core/ids.ts";
import type { RequestLogLine } from "../operate/gateway-log/request-line.ts";
import { type Explanation, explainProgram, judgedTenantOf, type SupportContext } from "./explain.ts";
import { registryReading, tokenFinding } from "./facts/registry.ts";
import {
  answeringSnapshot,
  type MissingProgram,
  missingProgram,
  objectState,
  type RequestFacts,
  unlessUnreadable,
} from "./facts/requests.ts";
import { judgedRequest } from "./judgement/request.ts";
import type { Judgement } from "./judgement/step.ts";
import type { JudgedTenant } from "./judgement/tenant.ts";

export interface ExplainedRequest extends RequestFacts, Judgement {}

/** Compares the log with the store. Throws `busy`, but not when the store fails, since the log alone explains much. */
export async function explainRequests(
  requests: readonly RequestLogLine[],
  context: SupportContext,
): Promise<readonly ExplainedRequest[]> {
  const { store, reader, signal } = context;
  const registry = await registryReading(store);
  const tokens = registry.kind === "read" ? registry.registry.tokens : undefined;
  const keys = tokens === undefined ? "unknown" : tokens.length === 0 ? "none" : "some";
  // A client that uses one id for many requests often asks for one program again and again.
  const programs = new Map<string, Promise<Explanation>>();
  const tenants = new Map<string, Promise<JudgedTenant | null>>();
  const explained: ExplainedRequest[] = [];
  for (const line of requests) {
    const token = tokenFinding(registry, line.tokenId);
    const tenantId = token.kind === "known" ? token.token.tenantId : line.tenantId;
    const [tenant, snapshot, object, miss] = await Promise.all([
      once(tenants, tenantId ?? "", () => tenantOrNull(tenantId)),
      answeringSnapshot(store, line, signal),
      objectState(store, line, signal),
      missingOf(line),
    ]);
    const facts: RequestFacts = { line, token, keys, tenant, miss, snapshot, object };
    explained.push({ ...facts, ...judgedRequest(facts, reader) });
  }
  return explained;

  async function tenantOrNull(tenantId: string | null): Promise<JudgedTenant | null> {
    if (tenantId === null || !isTenantId(tenantId)) return null;
    return await unlessUnreadable(signal, () => judgedTenantOf(context, tenantId));
  }

  async function missingOf(line: RequestLogLine): Promise<MissingProgram | null> {
    const { tenantId, programId, status, route } = line;
    if (status !== 404 || route !== "detail" || programId === null) return null;
    if (tenantId === null || !isTenantId(tenantId)) return null;
    const key = JSON.stringify([tenantId, programId]);
    const now = await unlessUnreadable(signal, () =>
      once(programs, key, () => explainProgram(context, { tenantId, programId })),
    );
    return now && (await missingProgram(store, line, tenantId, now, signal));
  }
}

async function once<Answer>(
  known: Map<string, Promise<Answer>>,
  key: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const asking = known.get(key) ?? ask();
  known.set(key, asking);
  return await asking;
}
