import { unlessFailed } from "../../../core/ground/failure.ts";
import { parseSnapshotId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { VouchedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { readManifestHead } from "./manifest-head.ts";

/** A snapshot as support speaks of it. */
export interface SnapshotMoment {
  readonly snapshotId: string;
  /** When the source was read for it, RFC 3339. */
  readonly generatedAt: string;
  /** Whether its manifest is still there and can be read. */
  readonly isKept: boolean;
}

/** P48: why partners did not see a program in a snapshot, as far as that is known. */
export type ProgramPast =
  /** None of the last snapshots has it. `isCut`: there may have been others, of which nothing is known. */
  | { readonly kind: "never"; readonly snapshotsExamined: number; readonly isCut: boolean }
  | RemovedPast
  /** `last` had it, and a rollback took that back. */
  | { readonly kind: "rolled_back"; readonly last: SnapshotMoment; readonly at: string }
  /** Partners saw it later, and first in this snapshot. */
  | { readonly kind: "came_later"; readonly first: SnapshotMoment }
  /** The snapshot is not kept. */
  | { readonly kind: "not_kept" };

/** `last` had it, and the build of `by` on it took it out. `next`: the snapshot behind `by`, if any. */
export interface RemovedPast {
  readonly kind: "removed";
  readonly last: SnapshotMoment;
  readonly by: SnapshotMoment;
  readonly next: string | null;
}

/**
 * Why the live snapshot lacks a program, as builds recorded it in its manifest, so that no history is read.
 * `undefined` when that is not known: the manifest is of an earlier version, or a rollback took back
 * snapshots of which it says nothing.
 */
export async function recordedPast(
  store: ObjectStore,
  { pointer, manifest }: VouchedSnapshot,
  programId: string,
  signal: AbortSignal,
): Promise<ProgramPast | undefined> {
  const { tenantId, snapshotId, ancestors = [], removed, generation } = manifest;
  if (removed === undefined || generation !== pointer.current.generation) return undefined;
  const build = removed.builds.find(({ programs }) => programs.includes(programId));
  const line: readonly string[] = [snapshotId, ...ancestors];
  if (build === undefined) {
    const snapshotsExamined = line.indexOf(removed.since ?? "") + 1 || line.length;
    return { kind: "never", snapshotsExamined, isCut: removed.since !== null };
  }
  const momentOf = async (id: string): Promise<SnapshotMoment> => {
    const reading = readManifestHead(store, tenantId, parseSnapshotId(id), signal);
    const head = await unlessFailed(reading, "corrupt_document");
    // Where the snapshot is not kept, its id says when its build began.
    const began = id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-\w{8}$/, "$1-$2-$3T$4:$5:$6.000Z");
    return { snapshotId: id, generatedAt: head?.generatedAt ?? began, isKept: head !== undefined };
  };
  const [last, by] = [await momentOf(build.before), await momentOf(build.snapshotId)];
  const place = line.indexOf(build.snapshotId);
  const next = (place < 0 ? line.at(-1) : line[place - 1]) ?? null;
  return { kind: "removed", last, by, next };
}
