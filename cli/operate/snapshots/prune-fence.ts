import { forEachBounded } from "../../../core/bounded-work.ts";
import { Failure } from "../../../core/failure.ts";
import type { SnapshotId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import { replacePointer } from "../../publish/snapshot/commit.ts";
import type { PointerVersion } from "../../publish/snapshot/live-snapshot.ts";
import { putMark } from "../../publish/snapshot/snapshot-marks.ts";
import { snapshotObject } from "../../publish/snapshot/snapshot-object.ts";
import { readStoredManifest, responsesOf } from "../../publish/snapshot/stored-snapshot.ts";
import type { PruneContext } from "./prune-tenant.ts";
import type { PublishedSnapshot } from "./tenant-snapshots.ts";

/** What a prune is about to delete: whatever lies in the folders and is not spared. */
export interface PruneTargets {
  readonly folders: Set<SnapshotId>;
  readonly spared: Set<ObjectKey>;
  /** Snapshots that must not become live again. */
  readonly dropped: readonly PublishedSnapshot[];
  /** Snapshots that are kept, the newest first. */
  readonly kept: SnapshotId[];
}

/**
 * Marks the dropped snapshots, then rewrites the pointer. From then on only processes that read the pointer after the marks can
 * change it. Returns false when the pointer changed in another way than by builds; then nothing may be deleted.
 *
 * P15: builds that were published since the plan was made are removed from its targets, and the rewriting is tried again.
 * Removing a build takes less time than publishing one, so the prune catches up even with a tenant that is published all the
 * time.
 */
export async function fence(
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
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
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
export function spareEntries({ folders, spared }: PruneTargets, manifest: Manifest): void {
  for (const { entry } of responsesOf(manifest)) {
    const folder = snapshotObject(manifest.tenantId, entry.key)?.snapshotId;
    if (folder !== undefined && folders.has(folder)) spared.add(entry.key);
  }
}

/**
 * Removes from the targets all builds published between two readings of the pointer. False when something else happened: a build's
 * parent is the snapshot before it, and a rollback raises the pointer's generation above its manifest's.
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
  targets.kept.unshift(...built);
  return built.length > 0;
}

const maxParallelPuts = 16;
/** Each attempt that fails is a publication by somebody else in the few milliseconds between a reading and a write. */
const maxAttempts = 100;
