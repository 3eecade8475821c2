import type { ResponseEntry } from "../../../core/documents/manifest.ts";
import { unlessFailed } from "../../../core/ground/failure.ts";
import { parseSnapshotId, type SnapshotId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { PointerVersion, VouchedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { readManifestHead } from "./manifest-head.ts";
import { type LivePeriod, readTenantSnapshots } from "./tenant-snapshots.ts";

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

/** A time in which partners saw the same of a program, in one period or in several that follow each other. */
export interface ProgramVersion extends Omit<LivePeriod, "snapshotId"> {
  /** The snapshots that were live in it, the first of them first. */
  readonly snapshots: readonly SnapshotMoment[];
  /** What partners got: a document, 404 (`null`), or nobody knows. */
  readonly entry: ResponseEntry | null | "unknown";
}

export interface ProgramVersions {
  /** Newest first. */
  readonly versions: readonly ProgramVersion[];
  /** Whether more is kept of the time before the oldest of these than was looked at. */
  readonly hasOlder: boolean;
}

/** Each manifest names all programs of its tenant, so few are read. */
const newest = 40;

/** P48: a program's versions in kept snapshots. The manifests tell them by digest; no body is read. */
export async function readProgramVersions(
  store: ObjectStore,
  pointer: PointerVersion,
  programId: string,
  signal: AbortSignal,
): Promise<ProgramVersions> {
  const found = await readTenantSnapshots(store, pointer, signal, { programId, newest });
  const looked = found.periods.slice(0, newest);
  const byId = new Map(found.published.map((snapshot) => [snapshot.snapshotId, snapshot]));
  const versions: ProgramVersion[] = [];
  for (const { snapshotId, ...period } of looked.toReversed()) {
    const { entry = "unknown", generatedAt = period.from } = byId.get(snapshotId) ?? {};
    const moment = { snapshotId, generatedAt, isKept: byId.has(snapshotId) };
    const last = versions.at(-1);
    if (last === undefined || digestOf(last.entry) !== digestOf(entry)) {
      versions.push({ ...period, snapshots: [moment], entry });
      continue;
    }
    const isAfterGap = last.isAfterGap || period.isAfterGap;
    const snapshots = [...last.snapshots, moment];
    versions[versions.length - 1] = { ...last, until: period.until, snapshots, isAfterGap };
  }
  return { versions: versions.reverse(), hasOlder: found.hasOlder || found.periods.length > looked.length };
}

function digestOf(entry: ProgramVersion["entry"]): string | null {
  return entry === null || entry === "unknown" ? entry : entry.sha256;
}

/** `lacking`: the snapshot without the program, and when: the live one, or the one of a request. */
export function programPast(
  { versions, hasOlder }: ProgramVersions,
  lacking: { readonly snapshotId: SnapshotId | null; readonly at: Date },
): ProgramPast {
  const own = versions.filter(({ snapshots }) =>
    snapshots.some(({ snapshotId }) => snapshotId === lacking.snapshotId),
  );
  const version = own.find(({ from }) => Date.parse(from) <= lacking.at.getTime()) ?? own.at(-1);
  const by = version?.snapshots[0];
  if (version === undefined || by === undefined) return { kind: "not_kept" };
  const place = versions.indexOf(version);
  const before = versions[place + 1];
  const last = hasProgram(before) ? before.snapshots.at(-1) : undefined;
  if (last !== undefined && !version.isAfterGap) {
    return version.how === "rolled back to"
      ? { kind: "rolled_back", last, at: version.from }
      : { kind: "removed", last, by, next: version.snapshots[1]?.snapshotId ?? null };
  }
  const [first] = versions.slice(0, place).findLast(hasProgram)?.snapshots ?? [];
  if (first !== undefined) return { kind: "came_later", first };
  const snapshotsExamined = new Set(version.snapshots.map(({ snapshotId }) => snapshotId)).size;
  return { kind: "never", snapshotsExamined, isCut: hasOlder || version.isAfterGap || before !== undefined };
}

function hasProgram(version: ProgramVersion | undefined): version is ProgramVersion {
  return version !== undefined && version.entry !== null && version.entry !== "unknown";
}
