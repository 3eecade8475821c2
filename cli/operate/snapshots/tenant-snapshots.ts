import { forEachBounded } from "../../../core/bounded-work.ts";
import { asFailure, type Failure } from "../../../core/failure.ts";
import { isSnapshotId, type SnapshotId } from "../../../core/ids.ts";
import { snapshotsPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { PointerVersion } from "../../publish/snapshot/live-snapshot.ts";
import { type ManifestHead, readManifestHead } from "../../publish/snapshot/manifest-head.ts";
import { type MarkedRollback, readMark } from "../../publish/snapshot/snapshot-marks.ts";

/** A snapshot that partners see or have seen. */
export interface PublishedSnapshot extends ManifestHead {
  readonly isLive: boolean;
  /** The latest time at which it may have been live, by the store's clock; `null` for the live one. */
  readonly liveUntil: Date | null;
  /** A rollback replaced it. */
  readonly withdrawnAt: Date | null;
  /** The rollbacks that replaced it, oldest first; one that was killed may be among them. */
  readonly rollbacks: readonly MarkedRollback[];
  /** A prune has begun to delete it: it can't become live again. */
  readonly isCondemned: boolean;
}

/** What lies below a tenant's `snapshots/`. */
export interface TenantSnapshots {
  /** By generation, highest first. */
  readonly published: readonly PublishedSnapshot[];
  /** Folders that are no snapshots: of builds that were killed, overtaken or are still under way, and what a prune left. */
  readonly others: readonly SnapshotId[];
  /** Folders whose manifest is damaged, and how. */
  readonly damaged: readonly { readonly snapshotId: SnapshotId; readonly failure: Failure }[];
}

/** Small reads side by side. */
const maxParallelReads = 16;

/**
 * The tenant's snapshots, according to their manifests and the pointer, which was read *before*. A manifest alone proves nothing,
 * since its builder may have been killed or overtaken. So a snapshot counts when the pointer names it, when a later manifest
 * names it as its parent, or when a rollback has marked it as withdrawn.
 */
export async function readTenantSnapshots(
  store: ObjectStore,
  pointer: PointerVersion,
  signal: AbortSignal,
): Promise<TenantSnapshots> {
  const { tenantId, snapshotId: liveId } = pointer.current;
  const folders: SnapshotId[] = [];
  for await (const folder of store.listFolders(snapshotsPrefix(tenantId), { signal })) {
    if (isSnapshotId(folder)) folders.push(folder);
  }
  const heads = new Map<SnapshotId, ManifestHead>();
  const damaged: { readonly snapshotId: SnapshotId; readonly failure: Failure }[] = [];
  const withdrawn = new Map<SnapshotId, Date>();
  const rollbacks = new Map<SnapshotId, readonly MarkedRollback[]>();
  const condemned = new Set<SnapshotId>();
  await forEachBounded(folders, maxParallelReads, async (snapshotId) => {
    try {
      const head = await readManifestHead(store, tenantId, snapshotId, signal);
      if (head === undefined) return;
      heads.set(snapshotId, head);
    } catch (error) {
      const failure = asFailure(error);
      if (failure.code !== "corrupt_document") throw error;
      damaged.push({ snapshotId, failure });
      return;
    }
    const mark = await readMark(store, tenantId, snapshotId, "withdrawn", signal);
    if (mark !== undefined) {
      withdrawn.set(snapshotId, mark.storedAt);
      rollbacks.set(snapshotId, mark.rollbacks);
    }
    if (await readMark(store, tenantId, snapshotId, "condemned", signal)) condemned.add(snapshotId);
  });

  const times = lifetimes([...heads.values()], pointer, withdrawn);
  const published = [...heads.values()].flatMap((head): PublishedSnapshot[] => {
    const { snapshotId } = head;
    const isLive = snapshotId === liveId;
    const liveUntil = times.get(snapshotId);
    if (!isLive && liveUntil === undefined) return [];
    return [
      {
        ...head,
        isLive,
        liveUntil: isLive ? null : (liveUntil ?? null),
        withdrawnAt: withdrawn.get(snapshotId) ?? null,
        rollbacks: rollbacks.get(snapshotId) ?? [],
        isCondemned: condemned.has(snapshotId),
      },
    ];
  });
  published.sort((a, b) => b.generation - a.generation || (a.snapshotId < b.snapshotId ? 1 : -1));
  const known = new Set([...published, ...damaged].map(({ snapshotId }) => snapshotId));
  return { published, others: folders.filter((folder) => !known.has(folder)), damaged };
}

/**
 * Until when each replaced snapshot may have been live. A builder can sleep between its manifest and the pointer, so the time of
 * a child's manifest is too early a bound. The child was certainly live by the time of *its* successor.
 */
function lifetimes(
  heads: readonly ManifestHead[],
  pointer: PointerVersion,
  withdrawn: ReadonlyMap<SnapshotId, Date>,
): ReadonlyMap<SnapshotId, Date> {
  const liveBy = new Map<SnapshotId, Date>(withdrawn);
  for (const { parent, storedAt } of heads) {
    if (parent !== null) liveBy.set(parent, earlier(storedAt, liveBy.get(parent)));
  }
  liveBy.set(pointer.current.snapshotId, pointer.modifiedAt);

  const liveUntil = new Map<SnapshotId, Date>(withdrawn);
  for (const { snapshotId, parent, storedAt } of heads) {
    if (parent === null) continue;
    const replacedAt = later(storedAt, liveBy.get(snapshotId));
    liveUntil.set(parent, later(replacedAt, liveUntil.get(parent)));
  }
  return liveUntil;
}

function earlier(time: Date, other: Date | undefined): Date {
  return other !== undefined && other < time ? other : time;
}

function later(time: Date, other: Date | undefined): Date {
  return other !== undefined && other > time ? other : time;
}
