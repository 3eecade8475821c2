import { forEachBounded } from "../../../core/bounded-work.ts";
import type { Current } from "../../../core/current.ts";
import { Failure, unlessFailed } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { isObjectKey, liveMarkerKey, livePrefix } from "../../../core/object-key.ts";
import type { ObjectStore, PutResult } from "../../../core/object-store.ts";
import { DeleteBatch } from "../snapshot/delete-batch.ts";
import { readLiveManifest, readPointer } from "../snapshot/live-snapshot.ts";
import {
  changingMarkerText,
  completeMarkerText,
  type LiveMarker,
  putLiveMarker,
  readLiveMarker,
} from "./live-marker.ts";
import { isInLiveTree, type LiveFile, liveFiles, liveTreeUpdate } from "./live-tree-plan.ts";

export interface LiveTreeTask {
  readonly store: ObjectStore;
  /** The pointer as the caller read or wrote it. */
  readonly live: Current;
  /** Whether there is to be a tree. */
  readonly isOn: boolean;
  /** False when the caller knows that there is no tree, so that none has to be looked for. */
  readonly mayExist: boolean;
  /** Writes every file anew, whatever the marker says. */
  readonly rewrite: boolean;
  /** Manifests that the caller has read or written; others are read. */
  readonly known: readonly Manifest[];
  /** See `bootId`; empty for a store whose copies survive a power cut. */
  readonly bootId: string;
  readonly signal: AbortSignal;
}

/** `absent`: none is wanted, and there is none. `left`: another builder changed the tree meanwhile, and finishes it. */
export type LiveTreeOutcome = "nothing" | "absent" | "updated" | "mended" | "removed" | "left";

const maxAttempts = 4;

/**
 * P27: makes `tenants/<tenant>/live/` show the live snapshot. The marker says which snapshot the tree shows. It is marked as
 * being changed before the first file is written, and as complete after the last. After a complete marker, only the files that
 * differ from its snapshot are written. After any other marker, or without one, all are.
 *
 * Two builders may do this at once. A builder that finds another snapshot live after its last file starts over with that one,
 * since it may have written into the newer tree. A marker is completed only if nobody has touched it meanwhile. One gap remains:
 * a builder that is killed between its last file and that check may leave an older file behind the newer marker. `snapshot
 * verify` finds such a file.
 */
export async function keepLiveTree(task: LiveTreeTask): Promise<LiveTreeOutcome> {
  if (!task.isOn) return await removeLiveTree(task);
  let { live } = task;
  let isMarkerTrusted = !task.rewrite;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const marker = isMarkerTrusted ? await trustedMarker(task) : undefined;
    if (marker !== undefined && isOf(marker, live)) return "nothing";
    const outcome = await writeTree(live, marker, task);
    if (outcome !== "overtaken") return outcome;
    const now = await readPointer(task.store, live.tenantId, task.signal);
    if (now === undefined) return "left";
    live = now.current;
    isMarkerTrusted = false;
  }
  throw new Failure(
    "superseded",
    `Tenant ${live.tenantId} was published ${maxAttempts} times while its live/ folder was written.`,
  );
}

type Names = Pick<Current, "snapshotId" | "manifestSha256">;

function isOf(one: Names, other: Names): boolean {
  return one.snapshotId === other.snapshotId && one.manifestSha256 === other.manifestSha256;
}

/** The marker, if the tree can be relied on. */
async function trustedMarker(task: LiveTreeTask): Promise<LiveMarker | undefined> {
  const marker = await readLiveMarker(task.store, task.live.tenantId, task.signal);
  return typeof marker === "object" && marker.isComplete && marker.bootId === task.bootId
    ? marker
    : undefined;
}

async function writeTree(
  live: Current,
  marker: LiveMarker | undefined,
  task: LiveTreeTask,
): Promise<LiveTreeOutcome | "overtaken"> {
  const { store, bootId, signal } = task;
  const isStillLive = async (): Promise<boolean> => {
    const now = await readPointer(store, live.tenantId, signal);
    return now !== undefined && isOf(now.current, live);
  };
  let to: Manifest;
  let outcome: LiveTreeOutcome;
  let changing: PutResult;
  try {
    to = await manifestOf(live, live, task);
    // The snapshot that the tree shows may have been pruned.
    const from = marker && (await unlessFailed(manifestOf(marker, live, task), "corrupt_document"));
    changing = await putLiveMarker(store, live.tenantId, changingMarkerText(live, bootId));
    outcome = from === undefined ? "mended" : "updated";
    if (from === undefined) {
      await deleteFiles(store, to.tenantId, (key) => !isInLiveTree(to, key), signal);
      await copyFiles(liveFiles(to), store, signal);
    } else {
      const { copies, removals } = liveTreeUpdate(from, to);
      await copyFiles(copies, store, signal);
      if (removals.length > 0) await store.delete(removals, { signal });
    }
  } catch (error) {
    // The snapshot may have been replaced and pruned meanwhile, which is no fault.
    if (!(await isStillLive().catch(() => true))) return "overtaken";
    throw error;
  }
  if (!(await isStillLive())) return "overtaken";
  if (changing.kind === "refused") return "left";
  const text = completeMarkerText(live, to, bootId);
  const done = await putLiveMarker(store, live.tenantId, text, { kind: "match", etag: changing.etag });
  return done.kind === "stored" ? outcome : "left";
}

async function manifestOf(
  { snapshotId, manifestSha256 }: Names,
  { tenantId }: Current,
  { store, known, signal }: LiveTreeTask,
): Promise<Manifest> {
  const found = known.find(
    (manifest) => manifest.tenantId === tenantId && manifest.snapshotId === snapshotId,
  );
  return found ?? (await readLiveManifest(store, { tenantId, snapshotId, manifestSha256 }, signal));
}

/**
 * P31: marks the tree as being changed first, and deletes the marker last. So the next build finds a tree that is half gone.
 */
async function removeLiveTree({ store, live, mayExist, signal }: LiveTreeTask): Promise<LiveTreeOutcome> {
  if (!mayExist) return "absent";
  const { tenantId } = live;
  if ((await readLiveMarker(store, tenantId, signal)) === "missing") return "absent";
  await putLiveMarker(store, tenantId, changingMarkerText(live, ""));
  const markerKey = liveMarkerKey(tenantId);
  await deleteFiles(store, tenantId, (key) => key !== markerKey, signal);
  await store.delete([markerKey], { signal });
  return "removed";
}

/** Copies under way at a time. */
const maxParallelCopies = 16;

/** Deletes files of the tree. Names that no object can have stay. */
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
