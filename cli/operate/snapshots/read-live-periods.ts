import type { ObjectStore } from "../../../core/object-store.ts";
import type { PointerVersion } from "../../publish/snapshot/live-snapshot.ts";
import { readMark } from "../../publish/snapshot/snapshot-marks.ts";
import { type LivePeriod, livePeriods } from "./live-periods.ts";
import { type PublishedSnapshot, readTenantSnapshots } from "./tenant-snapshots.ts";

/** A tenant's snapshots, and when partners saw which. */
export interface LiveHistory {
  /**
   * By generation, highest first. `withdrawnAt` is the time in the mark, since the time of the object changes when a store is
   * copied.
   */
  readonly published: readonly PublishedSnapshot[];
  /** Newest first. */
  readonly periods: readonly LivePeriod[];
}

/** P71: reads the heads of the manifests, and the marks of rollbacks for their times. */
export async function readLivePeriods(
  store: ObjectStore,
  pointer: PointerVersion,
  signal: AbortSignal,
): Promise<LiveHistory> {
  const stored = await readTenantSnapshots(store, pointer, signal);
  const { tenantId } = pointer.current;
  const published: PublishedSnapshot[] = [];
  for (const snapshot of stored.published) {
    const { snapshotId, withdrawnAt: markedAt } = snapshot;
    const mark = markedAt && (await readMark(store, tenantId, snapshotId, "withdrawn", signal));
    published.push({ ...snapshot, withdrawnAt: mark?.at ? new Date(mark.at) : markedAt });
  }
  return { published, periods: livePeriods(published, pointer.current) };
}
