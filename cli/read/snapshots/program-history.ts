import type { ResponseEntry } from "../../../core/documents/manifest.ts";
import type { SnapshotId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { PointerVersion } from "../../publish/snapshot/stored-snapshot.ts";
import type { ProgramPast, SnapshotMoment } from "./program-past.ts";
import { type LivePeriod, readTenantSnapshots } from "./tenant-snapshots.ts";

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
