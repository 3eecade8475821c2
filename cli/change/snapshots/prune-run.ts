import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import { asFailure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { isObjectKey, runsPrefix } from "../../../core/ground/object-key.ts";
import { printableLines } from "../../../core/ground/printable.ts";
import type { ListedObject } from "../../../core/store/object-store.ts";
import { numbers, table } from "../../output/layout.ts";
import { numberText } from "../../output/words.ts";
import { type Deleted, deleteBatch } from "../../publish/snapshot/delete-batch.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import { probesPrefix } from "../../shell/conditional-writes.ts";
import { nothingPruned, type PruneContext, pruneTenant, type TenantPrune } from "./prune-tenant.ts";

/** What a prune did for one tenant. */
export interface TenantPruneResult extends Omit<TenantPrune, "outcome"> {
  readonly tenantId: TenantId;
  readonly outcome: TenantPrune["outcome"] | "failed";
  readonly failure: { readonly code: string; readonly message: string } | null;
}

const parallelTenants = 8;
const hourMs = 3600 * 1000;
/** The newest reports of runs are kept whatever their age, and the others for some time. */
const keptRuns = 100;
const maxRunAgeMs = 30 * 24 * hourMs;
const runPattern = /^\d{8}T\d{6}Z-[0-9a-f]{8}\.json$/;
/** A random folder, a name: what an interrupted `store check` left behind. */
const probePattern = /^[0-9a-f]{32}\/[^/]+$/;

/**
 * Prunes one tenant, or all tenants and what belongs to none. The failure of one tenant does not stop the
 * others. Run reports and left-over probes are `null` in the result when the prune was of one tenant.
 */
export async function pruneRun(
  tenant: TenantId | undefined,
  { keep, minAgeHours }: { readonly keep: number; readonly minAgeHours: number },
  context: PruneContext,
) {
  const { store, dryRun, signal } = context;
  const minAgeMs = minAgeHours * hourMs;
  const tenants: TenantPruneResult[] = [];
  const tenantIds: TenantId[] = tenant === undefined ? [] : [tenant];
  if (tenant === undefined) for await (const id of storedTenants(store, signal)) tenantIds.push(id);
  await forEachBounded(tenantIds, parallelTenants, async (tenantId) => {
    let deletedObjects = 0;
    const onDeleted: PruneContext["onDeleted"] = (id, snapshots, objects) => {
      deletedObjects = objects;
      context.onDeleted?.(id, snapshots, objects);
    };
    const pruning = pruneTenant(tenantId, { keep, minAgeMs }, { ...context, onDeleted });
    const result = await pruning.then(
      (done): TenantPruneResult => ({ tenantId, ...done, failure: null }),
      (error: unknown): TenantPruneResult => {
        if (signal.aborted) throw error;
        const { code, message } = asFailure(error);
        return { tenantId, outcome: "failed", ...nothingPruned, deletedObjects, failure: { code, message } };
      },
    );
    tenants.push(result);
  });
  tenants.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  const isWhole = tenant === undefined;
  const runs = isWhole ? await pruneOld(context, runsPrefix, runPattern, maxRunAgeMs, keptRuns) : null;
  const probes = isWhole ? await pruneOld(context, probesPrefix, probePattern, minAgeMs, 0) : null;
  return { dryRun, keep, minAgeHours, tenants, runs, probes };
}

/** Deletes objects older than that, but for the last `kept`: keys come in the order of time. */
async function pruneOld(
  { store, dryRun, now, signal }: PruneContext,
  prefix: string,
  pattern: RegExp,
  maxAgeMs: number,
  kept: number,
): Promise<Deleted> {
  const batch = deleteBatch(store, dryRun, signal);
  const oldest = now().getTime() - maxAgeMs;
  const window: ListedObject[] = [];
  for await (const object of store.list(prefix, { signal })) {
    if (!pattern.test(object.key.slice(prefix.length))) continue;
    window.push(object);
    const past = window.length > kept ? window.shift() : undefined;
    if (past === undefined || past.modifiedAt.getTime() > oldest || !isObjectKey(past.key)) continue;
    await batch.add(past.key, past.size);
  }
  await batch.flush();
  return batch.deleted;
}

/** What was deleted, or would be, per tenant; what failed below. */
export function pruneText({ dryRun, tenants, runs, probes }: Awaited<ReturnType<typeof pruneRun>>): string {
  const outcomes: Readonly<Record<TenantPruneResult["outcome"], string>> = {
    pruned: dryRun ? "would prune" : "pruned",
    "nothing-to-do": "nothing to do",
    unpublished: "never published, left alone",
    failed: "failed",
  };
  const counts = ["KEPT", dryRun ? "TO DELETE" : "DELETED", "OBJECTS", "BYTES"].map(numbers);
  const rows = tenants.map(({ tenantId, outcome, kept, deletedSnapshots, deletedObjects, deletedBytes }) => [
    tenantId,
    outcomes[outcome],
    ...[kept.length, deletedSnapshots.length, deletedObjects, deletedBytes].map(numberText),
  ]);
  const lines = rows.length === 0 ? "" : table(["TENANT", "RESULT", ...counts], rows);
  const failures = tenants.flatMap(({ tenantId, failure }) =>
    failure === null ? [] : [`failed: ${tenantId}: ${printableLines(failure.message)}\n`],
  );
  const shared = [["run reports", runs] as const, ["probes", probes] as const].flatMap(([what, deleted]) =>
    deleted === null || deleted.deletedObjects === 0
      ? []
      : [`${numberText(deleted.deletedObjects)} old ${what} ${dryRun ? "to delete" : "deleted"}.\n`],
  );
  const rest = [...shared, dryRun ? "Dry run: nothing was deleted.\n" : ""].join("");
  return [lines, failures.join(""), rest].filter((text) => text !== "").join("\n");
}
