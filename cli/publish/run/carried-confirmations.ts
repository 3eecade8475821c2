import type { Confirmation, Confirmations } from "../../../core/confirmations.ts";
import { isSnapshotId, isTenantId, type SnapshotId, type TenantId } from "../../../core/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";

/** A snapshot that differs from the one before in programs alone that were read for it. */
export interface CarriedStep {
  readonly tenantId: TenantId;
  readonly from: SnapshotId;
  readonly to: SnapshotId;
}

/**
 * The step of a build that looked at some programs only, because nothing else is said to have changed. It confirms nothing by
 * itself (P23), but what it published is the snapshot before with these programs as the source has them now: so it is
 * confirmed from when that one was, and answers do not lose their age because a program changed.
 */
export function carriedStep(run: TenantRun): CarriedStep | undefined {
  const { tenantId, outcome, confirmedAt = null, snapshotId, previousSnapshotId } = run;
  if (outcome !== "published" || confirmedAt !== null || !isTenantId(tenantId)) return undefined;
  if (snapshotId === null || previousSnapshotId === null) return undefined;
  if (!isSnapshotId(snapshotId) || !isSnapshotId(previousSnapshotId)) return undefined;
  return { tenantId, from: previousSnapshotId, to: snapshotId };
}

/** The confirmations after these steps, in their order; the same object when none of them counts. */
export function withCarried(confirmations: Confirmations, steps: readonly CarriedStep[]): Confirmations {
  let carried: Map<TenantId, Confirmation> | undefined;
  for (const { tenantId, from, to } of steps) {
    const known = (carried ?? confirmations).get(tenantId);
    if (known?.snapshotId !== from) continue;
    carried ??= new Map(confirmations);
    carried.set(tenantId, { ...known, snapshotId: to });
  }
  return carried ?? confirmations;
}
