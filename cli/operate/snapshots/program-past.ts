import { unlessFailed } from "../../../core/failure.ts";
import { isSnapshotId, type SnapshotId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { snapshotsPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { type MarkedRollback, readMark } from "../../publish/snapshot/snapshot-marks.ts";
import { readStoredManifest, type VouchedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";

/** A snapshot as support speaks of it. */
export interface SnapshotMoment {
  readonly snapshotId: SnapshotId;
  /** When the source was read for it, RFC 3339. */
  readonly generatedAt: string;
}

/** P48: why partners did not see a program in a snapshot, as far as snapshots are kept. */
export type ProgramPast =
  /** None of the snapshots before has it. `isCut`: there were others, which are not kept or cannot be read. */
  | { readonly kind: "never"; readonly snapshotsExamined: number; readonly isCut: boolean }
  /** `last` had it, and the build of `by` on it took it out. */
  | { readonly kind: "removed"; readonly last: SnapshotMoment; readonly by: SnapshotMoment }
  /** `last` had it, and a rollback took that back. */
  | { readonly kind: "rolled_back"; readonly last: SnapshotMoment; readonly at: string }
  /** Partners saw it later, and first in this snapshot. */
  | { readonly kind: "came_later"; readonly first: SnapshotMoment }
  /** The snapshot is not kept. */
  | { readonly kind: "not_kept" };

/** The snapshot that lacks the program, and when: the live one now, or the one that a request was answered from. */
export interface Lacking {
  readonly snapshotId: SnapshotId | null;
  readonly at: Date;
}

/** Enough for any question about the recent past, and a bound on what a question costs. */
const maxSnapshots = 40;

/**
 * Goes back from parent to parent until a snapshot has the program. So little is read where it went lately. Snapshots beside
 * that line were withdrawn by rollbacks, whose marks are looked at, too; the later event counts. Damaged manifests end the way.
 */
export async function programPast(
  store: ObjectStore,
  live: VouchedSnapshot,
  programId: string,
  lacking: Lacking,
  signal: AbortSignal,
): Promise<ProgramPast> {
  const { tenantId } = live.pointer.current;
  const read = new Map<SnapshotId, Manifest>([[live.manifest.snapshotId, live.manifest]]);
  const seen = new Set<SnapshotId>();
  let isCut = false;
  const manifestOf = async (snapshotId: SnapshotId): Promise<Manifest | undefined> => {
    const known = read.get(snapshotId);
    if (known !== undefined || read.size >= maxSnapshots) return known;
    const reading = readStoredManifest(store, tenantId, snapshotId, signal);
    const stored = await unlessFailed(reading, "corrupt_document");
    if (stored !== undefined) read.set(snapshotId, stored.manifest);
    return stored?.manifest;
  };
  const removalBefore = async (from: Manifest): Promise<{ last: Manifest; by: Manifest } | undefined> => {
    for (let by = from; ; ) {
      seen.add(by.snapshotId);
      if (by.parent === null || seen.has(by.parent)) return undefined;
      const parent = await manifestOf(by.parent);
      // A manifest with a later one as its parent is forged or damaged.
      if (parent === undefined || parent.generation >= by.generation) {
        isCut = true;
        return undefined;
      }
      if (parent.programs.has(programId)) return { last: parent, by };
      by = parent;
    }
  };

  const start = lacking.snapshotId === null ? undefined : await manifestOf(lacking.snapshotId);
  if (start === undefined) return { kind: "not_kept" };
  const built = await removalBefore(start);
  const rollbacks = await rollbacksBeside(store, live, { seen, after: built?.last, at: lacking.at }, signal);
  if (!rollbacks.isWhole) isCut = true;
  for (const rollback of rollbacks.newestFirst) {
    const { snapshotId, at } = rollback;
    if (built !== undefined && isLater(built.by, rollback)) break;
    const withdrawn = await manifestOf(snapshotId);
    if (withdrawn?.programs.has(programId)) return { kind: "rolled_back", last: moment(withdrawn), at };
    const removal = withdrawn && (await removalBefore(withdrawn));
    if (removal !== undefined) return removed(removal);
  }
  if (built !== undefined) return removed(built);
  let first: Manifest | undefined;
  for (let next: Manifest | undefined = live.manifest; next && next.generation > start.generation; ) {
    if (next.programs.has(programId)) first = next;
    const parent: Manifest | undefined = next.parent === null ? undefined : await manifestOf(next.parent);
    next = parent !== undefined && parent.generation < next.generation ? parent : undefined;
  }
  if (first !== undefined) return { kind: "came_later", first: moment(first) };
  return { kind: "never", snapshotsExamined: read.size, isCut };
}

type Rollback = MarkedRollback & { readonly snapshotId: SnapshotId };

/** The rollbacks until that time from snapshots that the way back did not meet, the newest first. */
async function rollbacksBeside(
  store: ObjectStore,
  { pointer: { current }, manifest }: VouchedSnapshot,
  { seen, after, at }: { seen: ReadonlySet<SnapshotId>; after: Manifest | undefined; at: Date },
  signal: AbortSignal,
): Promise<{ readonly newestFirst: readonly Rollback[]; readonly isWhole: boolean }> {
  const folders: SnapshotId[] = [];
  for await (const folder of store.listFolders(snapshotsPrefix(current.tenantId), { signal })) {
    // Ids begin with the time, so a snapshot before the last one that had the program took nothing from partners since.
    const isLater = after === undefined || folder > after.snapshotId;
    if (isSnapshotId(folder) && isLater && !seen.has(folder)) folders.push(folder);
  }
  const found: Rollback[] = [];
  for (const snapshotId of folders.slice(-maxSnapshots)) {
    const mark = await readMark(store, current.tenantId, snapshotId, "withdrawn", signal);
    for (const rollback of mark?.rollbacks ?? []) found.push({ ...rollback, snapshotId });
  }
  // The pointer is above its manifest since a rollback. Without a mark of that one, the snapshot that it replaced was pruned.
  const isOf = ({ generation }: Rollback): boolean =>
    generation === null || generation === current.generation;
  const isWhole = current.generation === manifest.generation || after !== undefined || found.some(isOf);
  const newestFirst = found
    .filter((rollback) => Date.parse(rollback.at) <= at.getTime())
    .sort((a, b) => (a.at < b.at ? 1 : -1));
  return { newestFirst, isWhole };
}

function isLater(by: Manifest, { generation, at }: Rollback): boolean {
  return generation === null ? Date.parse(by.generatedAt) > Date.parse(at) : by.generation > generation;
}

function removed({ last, by }: { readonly last: Manifest; readonly by: Manifest }): ProgramPast {
  return { kind: "removed", last: moment(last), by: moment(by) };
}

function moment({ snapshotId, generatedAt }: Manifest): SnapshotMoment {
  return { snapshotId, generatedAt };
}
