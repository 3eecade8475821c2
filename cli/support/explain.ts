import { isTenantId, type TenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { RequestLogLine } from "../operate/gateway-log/request-line.ts";
import { type ProgramChange, programChanges } from "../operate/snapshots/program-changes.ts";
import type { Reader } from "../output/times.ts";
import type { AskedDatabase } from "./facts/asked-database.ts";
import { type LiveReading, readLive } from "./facts/live.ts";
import { type ProgramInSource, readProgramInSource } from "./facts/program-in-source.ts";
import { type ProgramInStore, readProgramInStore } from "./facts/program-in-store.ts";
import { registryReading, tokenFinding } from "./facts/registry.ts";
import {
  answeringSnapshot,
  type MissingProgram,
  missingProgram,
  objectState,
  type RequestFacts,
  unlessUnreadable,
} from "./facts/requests.ts";
import { readTenants } from "./facts/tenants.ts";
import { garbledTexts } from "./judgement/problem-words.ts";
import { judgedProgram } from "./judgement/program.ts";
import { judgedRequest } from "./judgement/request.ts";
import type { ProgramFacts, ProgramJudgement } from "./judgement/standing.ts";
import type { Judgement } from "./judgement/step.ts";
import { type JudgedTenant, judgedTenant } from "./judgement/tenant.ts";

/** Where a question about a program or a request is asked, and who asks it. */
export interface SupportContext {
  readonly store: ObjectStore;
  readonly database: AskedDatabase;
  readonly reader: Reader;
  readonly signal: AbortSignal;
}

export interface Explanation extends ProgramFacts, ProgramJudgement {}

/** Follows one program from the booking database to the live snapshot. */
export async function explainProgram(
  context: SupportContext,
  program: { readonly tenantId: TenantId; readonly programId: string },
): Promise<Explanation> {
  const { store, database, reader, signal } = context;
  const { tenantId, programId } = program;
  const live = await readLive(store, tenantId, signal);
  const tenant = await judgedTenantOf(context, tenantId, live);
  const [source, found] = await Promise.all([
    tenant.isSandbox ? noSource : readProgramInSource(database, tenantId, programId, reader.now, signal),
    readProgramInStore(store, live, programId, reader.now, signal),
  ]);
  const other =
    source.kind === "absent"
      ? source.elsewhere.find((elsewhere) => elsewhere.tenantId === tenantId)?.programId
      : undefined;
  const otherSpelling =
    other === undefined || other === programId
      ? null
      : await explainProgram(context, { tenantId, programId: other });
  const garbled = garbledTexts(documentOf(source, found));
  const changes = pendingChanges(source, found);
  const facts: ProgramFacts = { ...program, tenant, source, store: found, otherSpelling, changes, garbled };
  return { ...facts, ...judgedProgram(facts, reader) };
}

/** P97: the booking system knows nothing of the sandbox. */
const noSource: ProgramInSource = {
  kind: "unavailable",
  reason: "The sandbox's programs come with the generator.",
};

async function judgedTenantOf(
  { store, reader, signal }: SupportContext,
  tenantId: TenantId,
  live?: LiveReading,
): Promise<JudgedTenant> {
  const known = live && { live };
  const { tenants } = await readTenants({ store, only: tenantId, ...known, signal });
  const [facts] = tenants;
  if (facts === undefined) throw new Error("a tenant that was asked for is in no reading");
  return judgedTenant(facts, reader);
}

function documentOf(source: ProgramInSource, store: ProgramInStore): unknown {
  if (source.kind === "publishable") return source.document;
  return store.kind === "live" ? store.served?.document : undefined;
}

function pendingChanges(source: ProgramInSource, store: ProgramInStore): readonly ProgramChange[] | null {
  if (source.kind !== "publishable" || store.kind !== "live" || store.served === null) return null;
  // Equal digests prove that nothing differs. The comparison only tells where the documents differ.
  return source.sha256 === store.served.sha256 ? [] : programChanges(store.served.document, source.document);
}

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
