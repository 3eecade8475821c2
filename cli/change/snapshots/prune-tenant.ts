import type { Manifest } from "../../../core/documents/manifest.ts";
import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import { Failure } from "../../../core/ground/failure.ts";
import type { SnapshotId, TenantId } from "../../../core/ground/ids.ts";
import { manifestKey, markKey, type ObjectKey, snapshotsPrefix } from "../../../core/ground/object-key.ts";
import { replacePointer } from "../../publish/snapshot/commit.ts";
import { deleteBatch } from "../../publish/snapshot/delete-batch.ts";
import { type PointerVersion, readPointer, responsesOf } from "../../publish/snapshot/stored-snapshot.ts";
import { readStoredManifest } from "../../read/snapshots/manifest-head.ts";
import { type SnapshotObject, snapshotObject } from "../../read/snapshots/snapshot-marks.ts";
import {
  type PublishedSnapshot,
  readTenantSnapshots,
  type TenantSnapshots,
} from "../../read/snapshots/tenant-snapshots.ts";
import { putMark } from "./put-mark.ts";
import type { RollbackContext } from "./rollback.ts";

export interface PruneContext extends RollbackContext {
  readonly dryRun: boolean;
  /** Called when objects of a tenant were deleted, also when its prune failed after that (P206). */
  readonly onDeleted?: (tenantId: TenantId, snapshots: number, objects: number) => void;
}

export interface TenantPrune {
  /** `unpublished`: nothing may be deleted, since without a pointer no builder can be made to lose. */
  readonly outcome: "pruned" | "nothing-to-do" | "unpublished";
  readonly kept: readonly SnapshotId[];
  /** Snapshots that were deleted, or would be in a dry run. */
  readonly deletedSnapshots: readonly SnapshotId[];
  readonly deletedObjects: number;
  readonly deletedBytes: number;
}

const maxAttempts = 4;

/**
 * P15: deletes what no kept snapshot of the tenant uses. Safe beside builds, rollbacks, readers and other
 * prunes:
 *
 * 1. The pointer is read first, and everything is decided by what is found afterwards.
 * 2. Snapshots that are to go are marked as condemned; a rollback that reads the pointer later sees the
 *   marks.
 * 3. The pointer is rewritten (same content, new nonce) by compare-and-swap. Whoever read it before must lose
 *   now; whoever reads it from now on builds on the live snapshot, which is kept.
 * 4. Then objects are deleted, in folders only that were there in step 1 and are of no build published since:
 *   no builder that can still win writes into those. The marks go last: a prune that is killed leaves no
 *   snapshot that can become live again.
 */
export async function pruneTenant(
  tenantId: TenantId,
  rules: PruneRules,
  context: PruneContext,
): Promise<TenantPrune> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const pointer = await readPointer(context.store, tenantId, context.signal);
    if (pointer === undefined) return { outcome: "unpublished", ...nothingPruned };
    const result = await pruneOnce(pointer, rules, context);
    if (result !== undefined) return result;
  }
  throw new Failure(
    "superseded",
    `Tenant ${tenantId} was rolled back or pruned ${maxAttempts} times meanwhile; nothing of it was deleted. Prune it again later.`,
  );
}

export const nothingPruned = { kept: [], deletedSnapshots: [], deletedObjects: 0, deletedBytes: 0 };

/** `undefined` when somebody else changed the pointer before anything was deleted. */
async function pruneOnce(
  pointer: PointerVersion,
  rules: PruneRules,
  context: PruneContext,
): Promise<TenantPrune | undefined> {
  const { store, dryRun, now, signal } = context;
  const { tenantId } = pointer.current;
  const snapshots = await readTenantSnapshots(store, pointer, signal);
  assertReadable(pointer, snapshots);
  const { kept, dropped } = prunePlan(snapshots.published, rules, now());
  const targets: PruneTargets = {
    folders: new Set([...dropped.map(({ snapshotId }) => snapshotId), ...snapshots.others]),
    spared: new Set(),
    dropped,
    kept: kept.map(({ snapshotId }) => snapshotId),
  };
  await spareKept(targets, kept, pointer, context);
  const oldest = now().getTime() - rules.minAgeMs;

  const batch = deleteBatch(store, dryRun, signal);
  const marks: SnapshotObject[] = [];
  const keptManifests = new Set<SnapshotId>();
  let isFenced = dryRun;
  const isTarget = ({ key, snapshotId }: SnapshotObject): boolean =>
    targets.folders.has(snapshotId) && !targets.spared.has(key);
  try {
    const objects = targets.folders.size === 0 ? [] : store.list(snapshotsPrefix(tenantId), { signal });
    for await (const { key, size, modifiedAt } of objects) {
      const object = snapshotObject(tenantId, key);
      if (object === undefined || !targets.folders.has(object.snapshotId)) continue;
      const isYoung = modifiedAt.getTime() > oldest;
      if (isYoung && object.kind === "manifest") keptManifests.add(object.snapshotId);
      if (object.kind === "mark") marks.push(object);
      if (object.kind === "mark" || isYoung || !isTarget(object)) continue;
      isFenced ||= await fence(pointer, targets, context);
      if (!isFenced) return undefined;
      // What was published meanwhile may need it.
      if (isTarget(object)) await batch.add(object.key, size);
    }
    await batch.flush();
    if (!dryRun) await store.delete(pointlessMarks(marks, keptManifests, dropped, tenantId), { signal });
  } finally {
    const { deletedObjects } = batch.deleted;
    if (deletedObjects > 0 && !dryRun) context.onDeleted?.(tenantId, dropped.length, deletedObjects);
  }
  const { deletedObjects, deletedBytes } = batch.deleted;
  return {
    outcome: deletedObjects === 0 ? "nothing-to-do" : "pruned",
    kept: targets.kept,
    deletedSnapshots: dropped.map(({ snapshotId }) => snapshotId),
    deletedObjects,
    deletedBytes,
  };
}

/** Every kept manifest must be readable before we prune. */
function assertReadable({ current }: PointerVersion, { published, damaged }: TenantSnapshots): void {
  const { tenantId, snapshotId } = current;
  const see = `see \`snapshot verify --tenant ${tenantId}\``;
  const [first] = damaged;
  if (first !== undefined) {
    const what = `Nothing of tenant ${tenantId} was deleted, since nobody knows what this snapshot needs.`;
    const remedy = `If it is the live one, ${see}; if not, delete ${manifestKey(tenantId, first.snapshotId)}.`;
    throw new Failure("corrupt_document", `${first.failure.message} ${what} ${remedy}`);
  }
  if (published.some(({ isLive }) => isLive)) return;
  const what = `The live snapshot ${snapshotId} of tenant ${tenantId} has no manifest.json`;
  throw new Failure("corrupt_document", `${what}; nothing was deleted: ${see}.`);
}

/** Spares files in targeted folders that kept snapshots use: unchanged files stay where they were put. */
async function spareKept(
  targets: PruneTargets,
  kept: readonly PublishedSnapshot[],
  { current }: PointerVersion,
  { store, signal }: PruneContext,
): Promise<void> {
  const { tenantId } = current;
  if (targets.folders.size === 0) return;
  for (const { snapshotId, isLive } of kept) {
    const stored = await readStoredManifest(store, tenantId, snapshotId, signal);
    if (stored === undefined || (isLive && stored.sha256 !== current.manifestSha256)) {
      const what = `The manifest of snapshot ${snapshotId} of tenant ${tenantId} is not what it was a moment ago`;
      throw new Failure("corrupt_document", `${what}; nothing was deleted. Is another prune under way?`);
    }
    spareEntries(targets, stored.manifest);
  }
}

/** Marks whose manifest is gone, and those of the dropped snapshots. */
function pointlessMarks(
  marks: readonly SnapshotObject[],
  keptManifests: ReadonlySet<SnapshotId>,
  dropped: readonly PublishedSnapshot[],
  tenantId: TenantId,
): readonly ObjectKey[] {
  const listed = marks.filter(({ snapshotId }) => !keptManifests.has(snapshotId)).map(({ key }) => key);
  // Our own marks may be too new for the listing.
  const own = dropped.map(({ snapshotId }) => markKey(tenantId, snapshotId, "condemned"));
  return [...new Set([...listed, ...own])];
}

export interface PruneRules {
  /** The least number of kept snapshots, with the live one. */
  readonly keep: number;
  /** Nothing younger is deleted, and nothing that was live within this time. */
  readonly minAgeMs: number;
}

/**
 * Which of a tenant's snapshots stay: the live one, the newest others by generation up to the number, and
 * every one that may have been live within the minimum age. The last rule is for readers: a gateway that lost
 * the store goes on with what it knew for up to `SNAPSHOT_MAX_STALE_SECONDS`, so the minimum age must be
 * longer than that.
 */
function prunePlan(published: readonly PublishedSnapshot[], { keep, minAgeMs }: PruneRules, now: Date) {
  const youngest = now.getTime() - minAgeMs;
  // A snapshot that a prune has begun to delete does not count, since nobody can go back to it.
  const newest = published.filter(({ isLive, isCondemned }) => !isLive && !isCondemned).slice(0, keep - 1);
  const isKept = (snapshot: PublishedSnapshot): boolean =>
    snapshot.isLive ||
    newest.includes(snapshot) ||
    (snapshot.liveUntil !== null && snapshot.liveUntil.getTime() > youngest);
  const dropped = published.filter((snapshot) => !isKept(snapshot));
  return { kept: published.filter(isKept), dropped };
}

/** What a prune is about to delete: whatever lies in the folders and is not spared. */
interface PruneTargets {
  readonly folders: Set<SnapshotId>;
  readonly spared: Set<ObjectKey>;
  /** Snapshots that must not become live again. */
  readonly dropped: readonly PublishedSnapshot[];
  /** Snapshots that are kept, the newest first. */
  readonly kept: SnapshotId[];
}

/**
 * Marks the dropped snapshots, then rewrites the pointer. From then on only processes that read the pointer
 * after the marks can change it. Returns false when the pointer changed in another way than by builds; then
 * nothing may be deleted.
 *
 * P15: builds that were published since the plan was made are removed from its targets, and the rewriting is
 * tried again. Removing a build takes less time than publishing one, so the prune catches up even with a
 * tenant that is published all the time.
 */
async function fence(
  planned: PointerVersion,
  targets: PruneTargets,
  { store, now, randomBytes, signal }: PruneContext,
): Promise<boolean> {
  const { tenantId } = planned.current;
  const unmarked = targets.dropped.filter(({ isCondemned }) => !isCondemned);
  await forEachBounded(unmarked, maxParallelPuts, ({ snapshotId }) =>
    putMark(store, tenantId, snapshotId, "condemned", now()),
  );
  let pointer = planned;
  for (let attempt = 1; attempt <= maxRewrites; attempt += 1) {
    if (signal.aborted) throw new Failure("interrupted", "Interrupted; nothing was deleted.");
    const nonce = Buffer.from(randomBytes(16)).toString("hex");
    // Only our own write counts: another's may be older than our marks.
    const result = await replacePointer(store, pointer, { ...pointer.current, nonce });
    if (result.kind === "replaced") return true;
    const { found } = result;
    if (found === undefined || !(await spareBuilds(pointer, found, targets, store, signal))) return false;
    pointer = found;
  }
  return false;
}

/** Spares the objects that a kept snapshot uses in the targeted folders. */
function spareEntries({ folders, spared }: PruneTargets, manifest: Manifest): void {
  for (const { entry } of responsesOf(manifest)) {
    const folder = snapshotObject(manifest.tenantId, entry.key)?.snapshotId;
    if (folder !== undefined && folders.has(folder)) spared.add(entry.key);
  }
}

/**
 * Removes from the targets all builds published between two readings of the pointer. False when something
 * else happened: a build's parent is the snapshot before it, and a rollback raises the pointer's generation
 * above its manifest's.
 */
async function spareBuilds(
  from: PointerVersion,
  to: PointerVersion,
  targets: PruneTargets,
  store: PruneContext["store"],
  signal: AbortSignal,
): Promise<boolean> {
  const { tenantId, manifestSha256, generation } = to.current;
  if (generation === from.current.generation) return to.current.snapshotId === from.current.snapshotId;
  const built: SnapshotId[] = [];
  for (let next = to.current.snapshotId; next !== from.current.snapshotId; ) {
    const stored = await readStoredManifest(store, tenantId, next, signal);
    if (stored === undefined || stored.manifest.generation <= from.current.generation) return false;
    if (built.length === 0 && (stored.sha256 !== manifestSha256 || stored.manifest.generation !== generation))
      return false;
    const { parent } = stored.manifest;
    if (parent === null) return false;
    targets.folders.delete(next);
    spareEntries(targets, stored.manifest);
    built.push(next);
    next = parent;
  }
  for (const snapshotId of built.toReversed()) targets.kept.unshift(snapshotId);
  return built.length > 0;
}

const maxParallelPuts = 16;
/** An attempt fails by another's publication in the few milliseconds between a reading and a write. */
const maxRewrites = 100;
