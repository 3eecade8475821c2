import { forEachBounded } from "../../../core/bounded-work.ts";
import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { isObjectKey, liveMarkerKey, livePrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { DeleteBatch } from "../snapshot/delete-batch.ts";
import { isInLiveTree, type LiveFile, liveFiles, liveTreeUpdate } from "./live-tree-plan.ts";

/** Copies under way at a time. */
const maxParallelCopies = 16;

/** Turns the files of one snapshot's tree into those of another. */
export async function updateLiveFiles(
  store: ObjectStore,
  from: Manifest,
  to: Manifest,
  signal: AbortSignal,
): Promise<void> {
  const { copies, removals } = liveTreeUpdate(from, to);
  await copyFiles(copies, store, signal);
  if (removals.length > 0) await store.delete(removals, { signal });
}

/** Writes every file of the tree, and deletes what does not belong there; names that no object can have stay. */
export async function rewriteLiveFiles(store: ObjectStore, to: Manifest, signal: AbortSignal): Promise<void> {
  await deleteFiles(store, to.tenantId, (key) => !isInLiveTree(to, key), signal);
  await copyFiles(liveFiles(to), store, signal);
}

/** Deletes every file of the tree but its marker. */
export async function deleteLiveFiles(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<void> {
  const markerKey = liveMarkerKey(tenantId);
  await deleteFiles(store, tenantId, (key) => key !== markerKey, signal);
}

async function deleteFiles(
  store: ObjectStore,
  tenantId: TenantId,
  isToGo: (key: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const batch = new DeleteBatch(store, false, signal);
  for await (const { key, size } of store.list(livePrefix(tenantId), { signal })) {
    if (isToGo(key) && isObjectKey(key)) await batch.add(key, size);
  }
  await batch.flush();
}

async function copyFiles(files: Iterable<LiveFile>, store: ObjectStore, signal: AbortSignal): Promise<void> {
  await forEachBounded(files, maxParallelCopies, async ({ key, entry }) => {
    const { kind } = await store.copy(entry.key, key, { signal });
    if (kind === "missing") throw new Failure("corrupt_document", `${entry.key} is missing.`);
  });
}
