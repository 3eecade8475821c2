import { forEachBounded } from "../../../core/bounded-work.ts";
import type { Current } from "../../../core/current.ts";
import { asFailure, Failure, unlessFailed } from "../../../core/failure.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { isObjectKey, liveMarkerKey, livePrefix, tenantPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import { DeleteBatch } from "../snapshot/delete-batch.ts";
import { readLiveManifest, readPointer } from "../snapshot/live-snapshot.ts";
import { goneFiles, isInLiveTree, liveFiles } from "./live-files.ts";
import { changingMarkerText, completeMarkerText, putLiveMarker, readLiveMarker } from "./live-marker.ts";

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
  readonly signal: AbortSignal;
}

/** `absent`: none is wanted, and there is none. `left`: another builder changed the tree meanwhile; the next build mends it. */
export type LiveTreeOutcome = "nothing" | "absent" | "updated" | "mended" | "removed" | "left";

/** Makes a tenant's `live/` folder follow its pointer. Never throws. `given`: what the caller already knows, to save requests. */
export type FollowLive = (
  store: ObjectStore,
  live: Current,
  given?: Partial<Pick<LiveTreeTask, "known" | "rewrite" | "mayExist">>,
) => Promise<LiveTreeOutcome | "failed">;

/** P27: partners do not depend on the folder, so a failure is a line on standard error; the next build mends it. */
export function createFollowLive({ stderr, signal }: Shell, { liveCopy: isOn }: CliSettings): FollowLive {
  return async (store, live, given = {}) => {
    try {
      const usual = { known: [], rewrite: false, mayExist: true };
      return await keepLiveTree({ ...usual, ...given, store, live, isOn, signal });
    } catch (error) {
      stderr.write(
        `partner-programs: warning: ${livePrefix(live.tenantId)} is not up to date: ${asFailure(error).message} ` +
          "Partners are not affected; the next build mends it.\n",
      );
      return "failed";
    }
  };
}

/**
 * P27: makes `tenants/<tenant>/live/` show the live snapshot. Its marker says "being changed" before the first file is written, and
 * "complete" after the last. After a complete marker only the files that differ from its snapshot are written, else all.
 *
 * Two builders may do this at once. One that finds another snapshot live after its last file may have written into the newer tree, so
 * it leaves the tree marked as being changed. One gap remains: a builder that is killed between its last file and that check may leave
 * an older file behind the newer marker, which `snapshot verify` finds.
 */
export async function keepLiveTree(task: LiveTreeTask): Promise<LiveTreeOutcome> {
  const { store, live, signal } = task;
  if (!task.isOn) return await removeLiveTree(task);
  const { tenantId } = live;
  const found = task.rewrite ? "missing" : await readLiveMarker(store, tenantId, signal);
  const shown = typeof found === "object" && found.isComplete ? found : undefined;
  if (shown !== undefined && isOf(shown, live)) return "nothing";
  const to = await manifestOf(live, task);
  // The snapshot that the tree shows may have been pruned.
  const from = shown && (await unlessFailed(manifestOf({ ...live, ...shown }, task), "corrupt_document"));
  const changing = await putLiveMarker(store, tenantId, changingMarkerText(live));
  try {
    await writeTree(from, to, store, signal);
  } catch (error) {
    // The snapshot may have been replaced and pruned meanwhile, which is no fault.
    if (await isStillLive(task).catch(() => true)) throw error;
  }
  // P174: what a killed build left goes with the next one that writes.
  await store.tidy(tenantPrefix(tenantId), { signal });
  if (!(await isStillLive(task))) {
    await putLiveMarker(store, tenantId, changingMarkerText(live));
    return "left";
  }
  if (changing.kind === "refused") return "left";
  const condition = { kind: "match", etag: changing.etag } as const;
  const done = await putLiveMarker(store, tenantId, completeMarkerText(live, to), condition);
  if (done.kind === "refused") return "left";
  return from === undefined ? "mended" : "updated";
}

type Names = Pick<Current, "tenantId" | "snapshotId" | "manifestSha256">;

function isOf(one: Omit<Names, "tenantId">, other: Names): boolean {
  return one.snapshotId === other.snapshotId && one.manifestSha256 === other.manifestSha256;
}

async function isStillLive({ store, live, signal }: LiveTreeTask): Promise<boolean> {
  const now = await readPointer(store, live.tenantId, signal);
  return now !== undefined && isOf(now.current, live);
}

async function manifestOf(names: Names, { store, known, signal }: LiveTreeTask): Promise<Manifest> {
  const { tenantId, snapshotId, manifestSha256 } = names;
  const given = known.find(
    (manifest) => manifest.tenantId === tenantId && manifest.snapshotId === snapshotId,
  );
  return given ?? (await readLiveManifest(store, { tenantId, snapshotId, manifestSha256 }, signal));
}

async function writeTree(
  from: Manifest | undefined,
  to: Manifest,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<void> {
  if (from === undefined) await deleteFiles(store, to.tenantId, (key) => !isInLiveTree(to, key), signal);
  await forEachBounded(liveFiles(to, from), maxParallelCopies, async ({ key, entry }) => {
    const { kind } = await store.copy(entry.key, key, { signal });
    if (kind === "missing") throw new Failure("corrupt_document", `${entry.key} is missing.`);
  });
  const gone = from === undefined ? [] : goneFiles(from, to);
  if (gone.length > 0) await store.delete(gone, { signal });
}

/** Copies under way at a time. */
const maxParallelCopies = 16;

/**
 * P27: marks the tree as being changed first, and deletes the marker last. So the next build finds a tree that is half gone.
 */
async function removeLiveTree({ store, live, mayExist, signal }: LiveTreeTask): Promise<LiveTreeOutcome> {
  if (!mayExist) return "absent";
  const { tenantId } = live;
  if ((await readLiveMarker(store, tenantId, signal)) === "missing") return "absent";
  await putLiveMarker(store, tenantId, changingMarkerText(live));
  const markerKey = liveMarkerKey(tenantId);
  await deleteFiles(store, tenantId, (key) => key !== markerKey, signal);
  await store.delete([markerKey], { signal });
  return "removed";
}

/** Deletes files of the tree. Names that no object can have stay. */
async function deleteFiles(
  store: ObjectStore,
  tenantId: Current["tenantId"],
  isToGo: (key: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const batch = new DeleteBatch(store, false, signal);
  for await (const { key, size } of store.list(livePrefix(tenantId), { signal })) {
    if (isToGo(key) && isObjectKey(key)) await batch.add(key, size);
  }
  await batch.flush();
}
