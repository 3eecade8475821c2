import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { knownRemovals } from "../../publish/snapshot/removed-tenants.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { advice, maxExamples, viewProblem } from "./view-problem.ts";

type CaseProblem = SourceProblem<"tenant_id_case">;

/**
 * D140: tenant ids are compared by their bytes. Programs whose tenant id differs in case only from that of a listed tenant
 * belong to nobody, and the tenant gets none: nearly always a slip such as `lower(code)` in one of the views.
 * `claimed`: the tenant ids of programs that the view `tenants` does not list.
 */
export function caseProblems(listed: readonly string[], claimed: readonly string[]): readonly CaseProblem[] {
  const byLowerCase = new Map(listed.map((tenantId) => [tenantId.toLowerCase(), tenantId]));
  const examples = claimed.flatMap((value) => {
    const tenantId = byLowerCase.get(value.toLowerCase());
    return tenantId === undefined ? [] : [{ tenantId, programId: null, value }];
  });
  if (examples.length === 0) return [];
  const message = `${examples.length} tenant id(s) of partner_source.programs differ from those of partner_source.tenants in case only, so their programs belong to no tenant.`;
  const fix = advice("write tenant_id the same way in all views; look for lower() or upper() in one of them");
  const problem = viewProblem("tenant_id_case", "error", "programs", message, fix);
  const shown = examples.slice(0, maxExamples);
  return [{ ...problem, column: "tenant_id", count: examples.length, examples: shown }];
}

/** Calls with the store of the settings; throws where there is none to be had. */
export type AskStore = <Result>(ask: (store: ObjectStore) => Promise<Result>) => Promise<Result>;

/** The tenants that operators removed, as far as the store can be asked. */
export async function knownRemoved(askStore: AskStore, signal: AbortSignal): Promise<ReadonlySet<TenantId>> {
  const ask = async (store: ObjectStore): Promise<ReadonlySet<TenantId>> =>
    new Set((await knownRemovals(store, signal)).keys());
  return await unlessAway(askStore(ask), new Set(), signal);
}

/** A store that cannot be asked keeps nobody from checking the source. */
async function unlessAway<Value>(
  asked: Promise<Value>,
  otherwise: Value,
  signal: AbortSignal,
): Promise<Value> {
  return await asked.catch((error: unknown) => {
    if (signal.aborted) throw error;
    return otherwise;
  });
}
