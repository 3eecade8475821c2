import { forEachBounded } from "../../../core/bounded-work.ts";
import { unlessFailed } from "../../../core/failure.ts";
import type { SnapshotId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readStoredManifest, type VouchedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { readLivePeriods } from "./read-live-periods.ts";

/** Snapshots of a tenant that partners saw, by generation, newest first. */
export interface SnapshotHistory {
  readonly manifests: readonly Manifest[];
  /** When a rollback last replaced the snapshot. Others are not in the map. */
  readonly withdrawnAt: ReadonlyMap<SnapshotId, Date>;
  /** Older snapshots were not looked at, or are gone. */
  readonly isCut: boolean;
  /** Some snapshots that partners saw were not looked at: pruned, damaged or too many. */
  readonly hasGaps: boolean;
}

/** Enough for any question about the recent past, and a bound on what a question costs. */
const maxSnapshots = 40;
/** Whole manifests in memory at a time while they are read. */
const maxParallelReads = 4;

/** Reads the manifests of the newest published snapshots. Damaged manifests are left out. */
export async function snapshotHistory(
  store: ObjectStore,
  live: VouchedSnapshot,
  signal: AbortSignal,
): Promise<SnapshotHistory> {
  const { tenantId } = live.pointer.current;
  const { published } = await readLivePeriods(store, live.pointer, signal);
  const newest = published.slice(0, maxSnapshots);
  const manifests = new Map<SnapshotId, Manifest>([[live.manifest.snapshotId, live.manifest]]);
  const others = newest.filter(({ isLive }) => !isLive);
  await forEachBounded(others, maxParallelReads, async ({ snapshotId }) => {
    const stored = await unlessFailed(
      readStoredManifest(store, tenantId, snapshotId, signal),
      "corrupt_document",
    );
    if (stored !== undefined) manifests.set(snapshotId, stored.manifest);
  });
  const seen = newest.flatMap(({ snapshotId }) => manifests.get(snapshotId) ?? []);
  const withdrawnAt = new Map(
    newest.flatMap(({ snapshotId, withdrawnAt: at }) => (at === null ? [] : [[snapshotId, at] as const])),
  );
  const isCut = published.length > maxSnapshots || seen.at(-1)?.parent !== null;
  // A prune keeps the live snapshot and the newest, so that what lay between them may be gone.
  const isKnown = (parent: SnapshotId | null): boolean => parent === null || manifests.has(parent);
  // A rollback raised the pointer's generation. What it took back is newer than the live snapshot.
  const isRolledBack = live.pointer.current.generation > live.manifest.generation;
  const isReplacedGone =
    isRolledBack && !seen.some(({ generation }) => generation > live.manifest.generation);
  const hasGaps =
    isCut || seen.length < newest.length || isReplacedGone || !seen.every(({ parent }) => isKnown(parent));
  return { manifests: seen, withdrawnAt, isCut, hasGaps };
}
