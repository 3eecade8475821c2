import type { TenantId } from "../../core/ground/ids.ts";
import { programChanges } from "../output/field-words.ts";
import { readLive, readLiveManifest } from "../publish/snapshot/stored-snapshot.ts";
import type { SupportContext } from "./facts/asked-database.ts";
import { type ProgramInSource, readProgramInSource, readProgramInStore } from "./facts/program.ts";
import { readTenantFacts, type TenantFacts, type TenantsQuestion } from "./facts/tenants.ts";
import { judgedProgram } from "./judgement/program.ts";
import type { ProgramFacts, ProgramJudgement } from "./judgement/standings.ts";

export interface Explanation extends ProgramFacts, ProgramJudgement {}

/** Follows one program from the booking database to the live snapshot. */
export async function explainProgram(
  context: SupportContext,
  program: { readonly tenantId: TenantId; readonly programId: string },
): Promise<Explanation> {
  const { store, reader, signal } = context;
  const { tenantId } = program;
  const live = await readLive(store, tenantId, signal, (pointer) => readLiveManifest(store, pointer, signal));
  const tenant = await readTenant(context, tenantId, live);
  return await explained(program.programId);

  async function explained(programId: string): Promise<Explanation> {
    const [source, found] = await Promise.all([
      tenant.isSandbox ? inSandbox(programId) : readProgramInSource(context, { tenantId, programId }),
      readProgramInStore(context, live, programId, programId === program.programId),
    ]);
    const rows = source.kind === "tenant_unknown" ? source.rows : source;
    const elsewhere = rows.kind === "absent" ? rows.elsewhere : [];
    const other = elsewhere.find((one) => one.tenantId === tenantId && one.programId !== programId);
    const otherSpelling = other === undefined ? null : await explained(other.programId);
    const served = found.kind === "live" ? found.served : null;
    const fresh = source.kind === "publishable" && served !== null ? source : null;
    // Equal digests prove that nothing differs. The comparison only tells where the documents differ.
    const isSame = fresh !== null && fresh.sha256 === served?.sha256;
    const changes = isSame ? [] : fresh && programChanges(served?.document, fresh.document);
    const facts: ProgramFacts = { tenantId, programId, tenant, source, store: found, otherSpelling, changes };
    return { ...facts, ...judgedProgram(facts, reader) };
  }
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
export async function readTenant(
  { store, signal }: SupportContext,
  tenantId: TenantId,
  live?: TenantsQuestion["live"],
): Promise<TenantFacts> {
  const question = { store, only: tenantId, live, keysIfRemoved: tenantId, signal };
  const [facts] = (await readTenantFacts(question)).tenants;
  if (facts === undefined) throw new Error("a tenant that was asked for is in no reading");
  return facts;
}
