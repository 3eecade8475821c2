import type { SnapshotId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { SnapshotHistory } from "./snapshot-history.ts";

/** A snapshot as support speaks of it. */
export interface SnapshotMoment {
  readonly snapshotId: SnapshotId;
  /** When the source was read for it, RFC 3339. */
  readonly generatedAt: string;
}

/** In which snapshots a program was, as far as snapshots are kept. */
export interface ProgramHistory {
  /** The oldest snapshot with the program, `null` when none has it. */
  readonly first: SnapshotMoment | null;
  /** The live snapshot if that has it, else the last one with it that partners saw. */
  readonly last: SnapshotMoment | null;
  /** Whether the live snapshot has it. */
  readonly isServed: boolean;
  /**
   * The snapshot built on `last` without the program; `null` when there is none (`isServed`, `rolledBackAt`) or it cannot be
   * read.
   */
  readonly removedBy: SnapshotMoment | null;
  /** When a rollback took `last` from partners, and the program with it; RFC 3339, else `null`. */
  readonly rolledBackAt: string | null;
  /** The build that wrote the bytes of `last`: since then the program's content is the same. */
  readonly unchangedSince: SnapshotId | null;
  readonly snapshotsExamined: number;
  readonly oldestExamined: SnapshotMoment | null;
  /** Nothing is known about the time before `oldestExamined`. */
  readonly isCut: boolean;
}

/** P48: the live snapshot counts, also after a rollback, when newer snapshots exist that partners no longer see. */
export function programHistory(history: SnapshotHistory, live: Manifest, programId: string): ProgramHistory {
  const { manifests, isCut } = history;
  const having = manifests.filter(({ programs }) => programs.has(programId));
  const isServed = live.programs.has(programId);
  const newest = isServed ? live : having[0];
  const end = newest === undefined || isServed ? undefined : removalOf(history, live, newest, programId);
  const last = end?.last ?? newest;
  return {
    first: moment(having.at(-1)),
    last: moment(last),
    isServed,
    removedBy: end?.kind === "built" ? snapshotMoment(end.by) : null,
    rolledBackAt: end?.kind === "rolled_back" ? end.at.toISOString() : null,
    unchangedSince: last?.programs.get(programId)?.snapshotId ?? null,
    snapshotsExamined: manifests.length,
    oldestExamined: moment(manifests.at(-1)),
    isCut,
  };
}

export function snapshotMoment({ snapshotId, generatedAt }: Manifest): SnapshotMoment {
  return { snapshotId, generatedAt };
}

function moment(manifest: Manifest | undefined): SnapshotMoment | null {
  return manifest === undefined ? null : snapshotMoment(manifest);
}

/** What removed a program for partners. */
export type Removal =
  /** A build on `last`, which had the program. */
  | { readonly kind: "built"; readonly last: Manifest; readonly by: Manifest }
  /** A rollback from `last`, which had it. */
  | { readonly kind: "rolled_back"; readonly last: Manifest; readonly at: Date }
  /** The snapshot right after `last` cannot be read any more. */
  | { readonly kind: "unknown"; readonly last: Manifest };

/**
 * P48: finds what removed the program from `seen`, the snapshot that partners see. Either a build among the ancestors of `seen`
 * removed it, or something happened to `last`, the newest snapshot that has it, which a rollback may have left behind. The later
 * event counts.
 */
export function removalOf(
  { manifests, withdrawnAt }: SnapshotHistory,
  seen: Manifest,
  last: Manifest,
  programId: string,
): Removal {
  const built = removingBuild(manifests, seen, programId);
  // Generations only rise, so this build came after `last`.
  if (built !== undefined && built.by.generation > last.generation) return { kind: "built", ...built };
  const by = manifests.find(({ parent, programs }) => parent === last.snapshotId && !programs.has(programId));
  const at = withdrawnAt.get(last.snapshotId);
  // After that build, `last` may have become live again and been replaced by a rollback.
  if (at !== undefined && (by === undefined || Date.parse(by.generatedAt) < at.getTime())) {
    return { kind: "rolled_back", last, at };
  }
  return by === undefined ? { kind: "unknown", last } : { kind: "built", last, by };
}

/** Among `seen` and its ancestors: the newest build that lacks the program while its parent has it. */
function removingBuild(
  manifests: readonly Manifest[],
  seen: Manifest,
  programId: string,
): { readonly last: Manifest; readonly by: Manifest } | undefined {
  const byId = new Map<SnapshotId, Manifest>(manifests.map((manifest) => [manifest.snapshotId, manifest]));
  for (let by = seen; by.parent !== null; ) {
    const last = byId.get(by.parent);
    // A manifest with a later one as its parent is forged or damaged, and could lead in a circle.
    if (last === undefined || last.generation >= by.generation) return undefined;
    if (last.programs.has(programId)) return { last, by };
    by = last;
  }
  return undefined;
}
