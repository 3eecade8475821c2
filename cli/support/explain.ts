import type { TenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { type ProgramChange, programChanges } from "../operate/snapshots/program-changes.ts";
import type { Reader } from "../output/times.ts";
import type { AskedDatabase } from "./facts/asked-database.ts";
import { type LiveReading, readLive } from "./facts/live.ts";
import { type ProgramInSource, readProgramInSource } from "./facts/program-in-source.ts";
import { type ProgramInStore, readProgramInStore } from "./facts/program-in-store.ts";
import { readTenants } from "./facts/tenants.ts";
import { garbledTexts } from "./judgement/problem-words.ts";
import { judgedProgram } from "./judgement/program.ts";
import type { ProgramFacts, ProgramJudgement } from "./judgement/standing.ts";
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
    tenant.isSandbox
      ? inSandbox(programId)
      : readProgramInSource(database, tenantId, programId, reader.now, signal),
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

/** P97: the sandbox's programs come with the generator, and the booking system knows nothing of them. */
async function inSandbox(programId: string): Promise<ProgramInSource> {
  const { sandboxPrograms } = await import("../publish/sandbox/sandbox-programs.ts");
  const found = sandboxPrograms.find((program) => program.programId === programId);
  if (found === undefined) return { kind: "absent", elsewhere: [] };
  const state = found.lifecycleState ?? "";
  if (state !== "active") return { kind: "not_publishable", state, ifActive: [], dropped: [], lastDay: null };
  return { kind: "unavailable", reason: "It comes with the generator." };
}

/** The tenant as it is now. `live`: what is live of it, when it was read already. */
export async function judgedTenantOf(
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
