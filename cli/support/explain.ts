import { isTenantId, type TenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { Problem } from "../../schemas/generated/types.ts";
import type { GatewayNote, RequestLogLine } from "../operate/gateway-log/request-line.ts";
import { type ProgramChange, programChanges } from "../operate/snapshots/program-changes.ts";
import type { Reader } from "../output/times.ts";
import type { AskedDatabase } from "./facts/asked-database.ts";
import { type ProgramInSource, readProgramInSource } from "./facts/program-in-source.ts";
import { type ProgramInStore, readProgramInStore } from "./facts/program-in-store.ts";
import { registryReading, tokenFinding } from "./facts/registry.ts";
import {
  answeringSnapshot,
  damagedObject,
  type Miss,
  missOf,
  orNull,
  type RequestFacts,
} from "./facts/requests.ts";
import { ownStoreId, readTenants } from "./facts/tenants.ts";
import { garbledTexts } from "./judgement/problem-words.ts";
import { judgedProgram } from "./judgement/program.ts";
import { judgedRequest } from "./judgement/request.ts";
import type { ProgramFacts, ProgramJudgement } from "./judgement/standing.ts";
import type { Judgement } from "./judgement/step.ts";
import { type JudgedTenant, judgedTenant } from "./judgement/tenant.ts";

/** The store, the database and the reader for a question about a program or a request. */
export interface Desk {
  readonly store: ObjectStore;
  readonly database: AskedDatabase;
  readonly reader: Reader;
  readonly signal: AbortSignal;
}

export interface Explanation extends ProgramFacts, ProgramJudgement {
  /** The problems that the last run reported for this program. */
  readonly lastRunProblems: readonly Problem[];
  /** The id in the question when the tenant was renamed since. All other facts are about its present id. */
  readonly renamedFrom: TenantId | null;
}

/** Follows one program from the booking database to the live snapshot. */
export async function explainProgram(
  desk: Desk,
  program: { readonly tenantId: TenantId; readonly programId: string },
): Promise<Explanation> {
  const { store, database, reader, signal } = desk;
  const { tenantId, programId } = program;
  const [tenant, source, found] = await Promise.all([
    judgedTenantOf(desk, tenantId),
    readProgramInSource(store, database, tenantId, programId, reader.now, signal),
    readProgramInStore(store, tenantId, programId, reader.now, signal),
  ]);
  const present = tenant.rename?.tenantId;
  // The partners of a renamed tenant read the programs of its present id (P94).
  if (present !== undefined && isTenantId(present) && present !== tenantId) {
    const there = await explainProgram(desk, { tenantId: present, programId });
    const [moved] = tenant.concerns;
    const summary = `${moved?.text ?? `Tenant ${tenantId} is ${present} now`}. There: ${there.summary}`;
    return { ...there, summary, renamedFrom: tenantId };
  }
  const spelledId =
    source.kind === "absent"
      ? source.elsewhere.find((other) => other.tenantId === tenantId)?.programId
      : undefined;
  const spelled =
    spelledId === undefined || spelledId === programId
      ? null
      : await explainProgram(desk, { tenantId, programId: spelledId });
  const garbled = garbledTexts(documentOf(source, found));
  const changes = pendingChanges(source, found);
  const facts: ProgramFacts = { ...program, tenant, source, store: found, spelled, changes, garbled };
  const lastRunProblems = (tenant.lastRun?.tenantRun?.problems ?? []).filter(
    (problem) => problem.programId === programId,
  );
  return { ...facts, ...judgedProgram(facts, reader), lastRunProblems, renamedFrom: null };
}

async function judgedTenantOf({ store, reader, signal }: Desk, tenantId: TenantId): Promise<JudgedTenant> {
  const { tenants } = await readTenants({ store, only: tenantId, now: reader.now, signal });
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

/** A request of the log, and the gateway's last note about its store before it. */
export interface LoggedRequest {
  readonly line: RequestLogLine;
  readonly gateway: GatewayNote | null;
}

/** Compares the log with the store. Throws `busy`, but not when the store fails, since the log alone explains much. */
export async function explainRequests(
  requests: readonly LoggedRequest[],
  desk: Desk,
): Promise<readonly ExplainedRequest[]> {
  const { store, reader, signal } = desk;
  const [registry, storeId] = await Promise.all([registryReading(store), ownStoreId(store)]);
  const tokens = registry.kind === "read" ? registry.registry.tokens : undefined;
  const keys = tokens === undefined ? "unknown" : tokens.length === 0 ? "none" : "some";
  // A client that uses one id for many requests often asks for one program again and again.
  const asked = new Map<string, Promise<Explanation>>();
  const tenants = new Map<string, Promise<JudgedTenant | null>>();
  const explained: ExplainedRequest[] = [];
  for (const { line, gateway } of requests) {
    const token = tokenFinding(registry, line.tokenId);
    const tenantId = token.kind === "known" ? token.token.tenantId : line.tenantId;
    const [tenant, snapshot, object, miss] = await Promise.all([
      once(tenants, tenantId ?? "", () => tenantOrNull(tenantId)),
      answeringSnapshot(store, line, signal),
      damagedObject(store, line, signal),
      missed(line),
    ]);
    const facts: RequestFacts = { line, token, keys, tenant, miss, snapshot, object, gateway, storeId };
    explained.push({ ...facts, ...judgedRequest(facts, reader) });
  }
  return explained;

  async function tenantOrNull(tenantId: string | null): Promise<JudgedTenant | null> {
    if (tenantId === null || !isTenantId(tenantId)) return null;
    return await orNull(signal, () => judgedTenantOf(desk, tenantId));
  }

  async function missed(line: RequestLogLine): Promise<Miss | null> {
    const { tenantId, programId, status, route } = line;
    if (status !== 404 || route !== "detail" || programId === null) return null;
    if (tenantId === null || !isTenantId(tenantId)) return null;
    const key = JSON.stringify([tenantId, programId]);
    const now = await orNull(signal, () =>
      once(asked, key, () => explainProgram(desk, { tenantId, programId })),
    );
    return now && (await missOf(store, line, tenantId, now, signal));
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
