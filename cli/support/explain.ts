import type { TenantId } from "../../core/ids.ts";
import { programChanges } from "../output/field-words.ts";
import { readLive, readLiveManifest } from "../publish/snapshot/stored-snapshot.ts";
import type { SupportContext } from "./facts/asked-database.ts";
import {
  type ProgramInSource,
  type ProgramInStore,
  readProgramInSource,
  readProgramInStore,
} from "./facts/program.ts";
import { readTenants, type TenantsQuestion } from "./facts/tenants.ts";
import { judgedProgram } from "./judgement/program.ts";
import type { ProgramFacts, ProgramJudgement } from "./judgement/standings.ts";
import { type JudgedTenant, judgedTenant } from "./judgement/tenant.ts";

export interface Explanation extends ProgramFacts, ProgramJudgement {}

/** Follows one program from the booking database to the live snapshot. */
export async function explainProgram(
  context: SupportContext,
  program: { readonly tenantId: TenantId; readonly programId: string },
): Promise<Explanation> {
  const { store, reader, signal } = context;
  const { tenantId, programId } = program;
  const live = await readLive(store, tenantId, signal, (pointer) => readLiveManifest(store, pointer, signal));
  const tenant = await judgedTenantOf(context, tenantId, live);
  const [source, found] = await Promise.all([
    tenant.isSandbox ? inSandbox(programId) : readProgramInSource(context, program),
    readProgramInStore(context, live, programId),
  ]);
  const elsewhere = source.kind === "absent" ? source.elsewhere : [];
  const other = elsewhere.find((one) => one.tenantId === tenantId && one.programId !== programId);
  const otherSpelling =
    other === undefined ? null : await explainProgram(context, { tenantId, programId: other.programId });
  const served = found.kind === "live" ? found.served : null;
  const changes = pendingChanges(source, served);
  const facts: ProgramFacts = { ...program, tenant, source, store: found, otherSpelling, changes };
  return { ...facts, ...judgedProgram(facts, reader) };
}

/** P97: the sandbox's programs come with the generator, and the booking system knows nothing of them. */
async function inSandbox(programId: string): Promise<ProgramInSource> {
  const { sandboxPrograms } = await import("../partners/sandbox/sandbox-programs.ts");
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
  live?: TenantsQuestion["live"],
): Promise<JudgedTenant> {
  const { tenants } = await readTenants({ store, only: tenantId, live, signal });
  const [facts] = tenants;
  if (facts === undefined) throw new Error("a tenant that was asked for is in no reading");
  return judgedTenant(facts, reader);
}

type Served = Extract<ProgramInStore, { readonly kind: "live" }>["served"];

function pendingChanges(source: ProgramInSource, served: Served): ProgramFacts["changes"] {
  if (source.kind !== "publishable" || served === null) return null;
  // Equal digests prove that nothing differs. The comparison only tells where the documents differ.
  if (source.sha256 === served.sha256) return [];
  return programChanges(served.document, source.document);
}
