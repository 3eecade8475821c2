import { unlessFailed } from "../../../core/failure.ts";
import { isSnapshotId, type SnapshotId } from "../../../core/ids.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import { snapshotsPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { PointerVersion, VouchedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { type ManifestHead, readManifestHead } from "./manifest-head.ts";
import { readMark } from "./snapshot-marks.ts";
import { type LivePeriod, readTenantSnapshots } from "./tenant-snapshots.ts";

/** A snapshot as support speaks of it. */
export interface SnapshotMoment {
  readonly snapshotId: SnapshotId;
  /** When the source was read for it, RFC 3339. */
  readonly generatedAt: string;
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

/** P48: a program's versions, as far as snapshots are kept. The manifests tell by digest where it changed; no body is read. */
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
    const moment = { snapshotId, generatedAt };
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

/** P48: why the live snapshot lacks a program, as far as it was looked for. */
export type WhyMissing =
  /** `unread`: so many snapshots are kept that were not looked at. */
  | (Extract<ProgramPast, { readonly kind: "never" }> & { readonly unread: number })
  | Extract<ProgramPast, { readonly kind: "removed" | "rolled_back" }>
  /** `last` had it. Later ones may have had it, too, and what took it out was not looked for. */
  | { readonly kind: "seen"; readonly last: SnapshotMoment };

/**
 * P48: why the live snapshot lacks a program, from a few manifests, since each names all programs of its tenant. Most often the last
 * build took it out, and its parent shows that. Otherwise two more are read: the newest beside the live one's line, which a rollback
 * may have replaced; and of the line the oldest that is kept, or one halfway. Where they prove no more, the program was `seen`.
 */
export async function readWhyMissing(
  store: ObjectStore,
  { pointer: { current }, manifest }: VouchedSnapshot,
  programId: string,
  signal: AbortSignal,
): Promise<WhyMissing> {
  const { tenantId, snapshotId, parent, ancestors = [] } = manifest;
  const heads = new Map<SnapshotId, Head>([[snapshotId, { ...manifest, entry: null }]]);
  const hasIt = async (id: SnapshotId): Promise<boolean> => {
    const reading = readManifestHead(store, tenantId, id, signal, programId);
    const head = await unlessFailed(reading, "corrupt_document");
    if (head !== undefined) heads.set(id, head);
    return isThere(head?.entry);
  };
  const isWithout = (id: SnapshotId): boolean => heads.get(id)?.entry === null;
  const line = [...new Set([snapshotId, ...(parent === null ? [] : [parent]), ...ancestors])];
  const isBuilt = manifest.generation === current.generation;
  const folders: SnapshotId[] = [];
  if (!isBuilt || parent === null || !(await hasIt(parent))) {
    for await (const folder of store.listFolders(snapshotsPrefix(tenantId), { signal })) {
      if (isSnapshotId(folder)) folders.push(folder);
    }
  }
  const asides = folders.filter((id) => !line.includes(id));
  const kept = line.filter((id) => folders.includes(id));
  const chosen = [...asides.slice(-1), ...kept.slice(-1), ...kept.slice(kept.length >> 1)];
  for (const id of chosen.filter((id) => !heads.has(id)).slice(0, 2)) await hasIt(id);

  const replaced = heads.get(asides.at(-1) as SnapshotId);
  let isLastChange = isBuilt;
  if (replaced !== undefined && !(isBuilt && replaced.entry === null)) {
    const mark = await readMark(store, tenantId, replaced.snapshotId, "withdrawn", signal);
    const { to, generation, at = "" } = mark?.rollbacks.at(-1) ?? {};
    const isLast = to === snapshotId && generation === current.generation;
    if (isLast && isThere(replaced.entry)) return { kind: "rolled_back", last: momentOf(replaced), at };
    isLastChange ||= isLast;
    // Without the mark of a rollback, its build may have been killed, and no partner has seen it.
    if (mark === undefined) heads.delete(replaced.snapshotId);
  }
  const all = [...line, ...asides];
  const seen = [...heads.values()].filter(({ entry }) => isThere(entry));
  const last = seen.sort((a, b) => (a.snapshotId < b.snapshotId ? -1 : 1)).at(-1);
  if (last !== undefined) {
    const place = line.indexOf(last.snapshotId);
    const by = heads.get(line[place - 1] as SnapshotId);
    const isProven = isLastChange && [...line.slice(0, place), ...asides].every(isWithout);
    if (by !== undefined && isProven) return { kind: "removed", last: momentOf(last), by: momentOf(by) };
    return { kind: "seen", last: momentOf(last) };
  }
  const isFirst = heads.get(line.at(-1) as SnapshotId)?.parent === null;
  const isCut = !(isFirst && isLastChange && all.every(isWithout));
  const unread = folders.filter((id) => !heads.has(id)).length;
  return { kind: "never", snapshotsExamined: all.filter(isWithout).length, unread, isCut };
}

type Head = Pick<ManifestHead, "snapshotId" | "generatedAt" | "parent" | "entry">;

function momentOf({ snapshotId, generatedAt }: Head): SnapshotMoment {
  return { snapshotId, generatedAt };
}

/** `lacking`: the snapshot that lacks the program, and when: the live one now, or the one that a request was answered from. */
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
      : { kind: "removed", last, by };
  }
  const [first] = versions.slice(0, place).findLast(hasProgram)?.snapshots ?? [];
  if (first !== undefined) return { kind: "came_later", first };
  const snapshotsExamined = new Set(version.snapshots.map(({ snapshotId }) => snapshotId)).size;
  return { kind: "never", snapshotsExamined, isCut: hasOlder || version.isAfterGap || before !== undefined };
}

function hasProgram(version: ProgramVersion | undefined): version is ProgramVersion {
  return isThere(version?.entry);
}

function isThere(entry: ManifestHead["entry"]): entry is ResponseEntry {
  return entry !== undefined && entry !== null && entry !== "unknown";
}
