import { readEntry } from "../../core/documents/manifest.ts";
import type { RegisteredToken } from "../../core/documents/token-registry.ts";
import { isSnapshotId, isTenantId, type SnapshotId, type TenantId } from "../../core/ground/ids.ts";
import { readLive, readLiveManifest, readPointer, responsesOf } from "../publish/snapshot/stored-snapshot.ts";
import type { RequestLogLine } from "../read/gateway-log/request-line.ts";
import { readManifestHead } from "../read/snapshots/manifest-head.ts";
import { programPast, readProgramVersions } from "../read/snapshots/program-past.ts";
import { explainProgram, readTenant } from "./explain.ts";
import type { SupportContext } from "./facts/asked-database.ts";
import { orFault } from "./facts/last-builds.ts";
import { type RegistryReading, registryReading } from "./facts/tenants.ts";
import { judgedRequest } from "./judgement/request.ts";
import type { MissingProgram, RequestFacts, TokenFinding } from "./judgement/request-facts.ts";
import type { Judgement } from "./judgement/steps.ts";

export interface ExplainedRequest extends RequestFacts, Judgement {}

/** Compares the log with the store. Throws `busy`; a failing store is a result, as the log says much. */
export async function explainRequests(
  requests: readonly RequestLogLine[],
  context: SupportContext,
): Promise<readonly ExplainedRequest[]> {
  const { store, reader, signal } = context;
  const registry = await registryReading(store);
  const tokens = registry.kind === "read" ? registry.registry.tokens : undefined;
  const keys = tokens === undefined ? "unknown" : tokens.length === 0 ? "none" : "some";
  const explained: ExplainedRequest[] = [];
  for (const line of requests) {
    const token = tokenFinding(registry, line.tokenId);
    const tenantId = token.kind === "known" ? token.token.tenantId : line.tenantId;
    const [tenant, snapshot, miss, mended] = await Promise.all([
      isTenant(tenantId) ? unlessUnread(() => readTenant(context, tenantId)) : null,
      unlessUnread(() => answeringSnapshot(line)),
      unlessUnread(() => missingProgram(line)),
      unlessUnread(() => isMended(line)),
    ]);
    const facts: RequestFacts = { line, token, keys, tenant, miss, snapshot, isMended: mended === true };
    explained.push({ ...facts, ...judgedRequest(facts, reader) });
  }
  return explained;

  /** The answer, or `null` when the store fails. */
  async function unlessUnread<Answer>(ask: () => Promise<Answer | null>): Promise<Answer | null> {
    return (await orFault(null, signal, ask)).value;
  }

  async function answeringSnapshot(line: RequestLogLine): Promise<RequestFacts["snapshot"]> {
    const { tenantId, snapshotId } = line;
    if (line.status !== 200 || !isTenant(tenantId) || !isSnapshot(snapshotId)) return null;
    const head = await readManifestHead(store, tenantId, snapshotId, signal);
    return head === undefined ? { kind: "not_kept" } : { kind: "kept", programs: head.programs };
  }

  async function isMended({ tenantId, causeCode, objectKey }: RequestLogLine): Promise<boolean> {
    if (causeCode !== "corrupt_document" || !isTenant(tenantId)) return false;
    const live = await readLive(store, tenantId, signal, (pointer) =>
      readLiveManifest(store, pointer, signal),
    );
    if (live.kind !== "read") return false;
    for (const { entry } of responsesOf(live.content)) {
      if (entry.key === objectKey) return (await readEntry(store, entry, signal, () => {})) === undefined;
    }
    return true;
  }

  async function missingProgram(line: RequestLogLine): Promise<MissingProgram | null> {
    const { tenantId, programId, status, route, snapshotId } = line;
    if (status !== 404 || route !== "detail" || programId === null || !isTenant(tenantId)) return null;
    const now = await explainProgram(context, { tenantId, programId });
    const pointer = await readPointer(store, tenantId, signal);
    if (pointer === undefined) return null;
    const lacking = { snapshotId: isSnapshot(snapshotId) ? snapshotId : null, at: new Date(line.time) };
    const versions = await readProgramVersions(store, pointer, programId, signal);
    return { atTheTime: programPast(versions, lacking), now };
  }
}

const isSnapshot = (id: string | null): id is SnapshotId => id !== null && isSnapshotId(id);
const isTenant = (id: string | null): id is TenantId => id !== null && isTenantId(id);

export function tokenFinding(reading: RegistryReading, tokenId: string | null): TokenFinding {
  if (tokenId === null) return { kind: "none" };
  if (reading.kind === "unavailable") return reading;
  const { tokens } = reading.registry;
  const token = tokens.find((candidate) => candidate.tokenId === tokenId);
  if (token === undefined) return { kind: "foreign" };
  const successors: RegisteredToken[] = [];
  for (;;) {
    const { tokenId: last } = successors.at(-1) ?? token;
    const next = tokens.find(({ replaces }) => replaces === last);
    // In a registry that was edited by hand, keys may replace each other in a circle.
    if (next === undefined || successors.includes(next)) return { kind: "known", token, successors };
    successors.push(next);
  }
}
