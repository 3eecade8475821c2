import { forEachBounded } from "../../../core/bounded-work.ts";
import { asFailure, type FailureCode } from "../../../core/failure.ts";
import { isSnapshotId, type TenantId } from "../../../core/ids.ts";
import { isObjectKey, runsPrefix, tenantPrefix } from "../../../core/object-key.ts";
import type { ListedObject } from "../../../core/object-store.ts";
import { DeleteBatch } from "../../publish/snapshot/delete-batch.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import { probesPrefix } from "../../publish/store/probe-objects.ts";
import type { ExitStatus } from "../../shell/exit-status.ts";
import { type PruneContext, type PruneRules, pruneTenant, type TenantPrune } from "./prune-tenant.ts";

/** What a prune did for one tenant. */
export type TenantPruneResult = { readonly tenantId: TenantId } & (
  | (TenantPrune & { readonly failure: null })
  | (Omit<TenantPrune, "outcome"> & {
      readonly outcome: "failed";
      readonly failure: { readonly code: FailureCode; readonly message: string };
    })
);

export interface PruneReport {
  readonly dryRun: boolean;
  readonly keep: number;
  readonly minAgeHours: number;
  readonly tenants: readonly TenantPruneResult[];
  /** Run reports and left-over probes; `null` when the prune was of one tenant. */
  readonly runs: SharedPrune | null;
  readonly probes: SharedPrune | null;
}

const parallelTenants = 8;
const hourMs = 3600 * 1000;

/**
 * Prunes one tenant, or all tenants and what belongs to none. The failure of one tenant does not stop the others. `onTenant` is
 * called after each tenant, since a run that fails later gives no report.
 */
export async function pruneRun(
  tenant: TenantId | undefined,
  { keep, minAgeHours }: { readonly keep: number; readonly minAgeHours: number },
  context: PruneContext,
  onTenant: (result: TenantPruneResult) => void = () => {},
): Promise<PruneReport> {
  const { store, dryRun, signal } = context;
  const rules: PruneRules = { keep, minAgeMs: minAgeHours * hourMs };
  const tenantIds: TenantId[] = [];
  if (tenant !== undefined) tenantIds.push(tenant);
  else for await (const tenantId of storedTenants(store, signal)) tenantIds.push(tenantId);
  const tenants: TenantPruneResult[] = [];
  await forEachBounded(tenantIds, parallelTenants, async (tenantId) => {
    const result = await resultOf(tenantId, rules, context);
    tenants.push(result);
    onTenant(result);
  });
  tenants.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  const runs = tenant === undefined ? await pruneRuns(context) : null;
  const probes = tenant === undefined ? await pruneProbes(rules.minAgeMs, context) : null;
  // Without tenants there may be no store, and pruning must not begin one (P160).
  const isTidied = !dryRun && tenants.length > 0;
  if (isTidied) await store.tidy(tenant === undefined ? "" : tenantPrefix(tenant), { signal });
  return { dryRun, keep, minAgeHours, tenants, runs, probes };
}

export function pruneExitStatus({ tenants }: PruneReport): ExitStatus {
  const failed = tenants.filter(({ outcome }) => outcome === "failed").length;
  if (failed === 0) return 0;
  return failed === tenants.length ? 1 : 3;
}

async function resultOf(
  tenantId: TenantId,
  rules: PruneRules,
  context: PruneContext,
): Promise<TenantPruneResult> {
  try {
    return { tenantId, ...(await pruneTenant(tenantId, rules, context)), failure: null };
  } catch (error) {
    if (context.signal.aborted) throw error;
    const { code, message } = asFailure(error);
    const none = { kept: [], deletedSnapshots: [], deletedObjects: 0, deletedBytes: 0 };
    return { tenantId, outcome: "failed", ...none, failure: { code, message } };
  }
}

export interface SharedPrune {
  readonly deletedObjects: number;
  readonly deletedBytes: number;
}

/** Reports of runs that are kept whatever their age. */
const keptRuns = 100;
/** Older reports than the newest ones go after this time. */
const maxRunAgeDays = 30;
const dayMs = 24 * 3600 * 1000;

/** A record of earlier versions of `snapshot verify`, which nobody reads any more. */
const retiredKey: string = "runs/damaged.json";

/** Deletes reports of runs that are old and not among the newest. */
async function pruneRuns(context: PruneContext): Promise<SharedPrune> {
  const { store, dryRun, now, signal } = context;
  const oldest = now().getTime() - maxRunAgeDays * dayMs;
  const batch = new DeleteBatch(store, dryRun, signal);
  // Keys come in order of time, so a report that leaves the window has as many newer ones after it.
  const window: ListedObject[] = [];
  for await (const object of store.list(runsPrefix, { signal })) {
    if (isObjectKey(object.key) && object.key === retiredKey) await batch.add(object.key, object.size);
    const runId = object.key.slice(runsPrefix.length, -".json".length);
    if (!object.key.endsWith(".json") || !isSnapshotId(runId)) continue;
    window.push(object);
    if (window.length > keptRuns) await addIfOld(batch, window.shift(), oldest);
  }
  await batch.flush();
  return batch.deleted;
}

/** Deletes what an interrupted `store check` left behind. */
async function pruneProbes(minAgeMs: number, context: PruneContext): Promise<SharedPrune> {
  const { store, dryRun, now, signal } = context;
  const batch = new DeleteBatch(store, dryRun, signal);
  const oldest = now().getTime() - minAgeMs;
  for await (const object of store.list(probesPrefix, { signal })) {
    if (probePattern.test(object.key.slice(probesPrefix.length))) await addIfOld(batch, object, oldest);
  }
  await batch.flush();
  return batch.deleted;
}

/** A random folder, a name. */
const probePattern = /^[0-9a-f]{32}\/[^/]+$/;

async function addIfOld(batch: DeleteBatch, object: ListedObject | undefined, oldest: number): Promise<void> {
  if (object === undefined || object.modifiedAt.getTime() > oldest || !isObjectKey(object.key)) return;
  await batch.add(object.key, object.size);
}
