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
  /** The snapshot that was built on `last` without the program; `null` when there is none: see `isServed`, `rolledBackAt`; or when it cannot be read. */
  readonly removedBy: SnapshotMoment | null;
  /** When a rollback took `last` from partners, and the program with it; RFC 3339, else `null`. */
  readonly rolledBackAt: string | null;
  /** The build that wrote the bytes of `last`: since then the program's content is the same. */
  readonly unchangedSince: SnapshotId | null;
  readonly snapshotsExamined: number;
  readonly oldestExamined: SnapshotMoment | null;
  /** Of what was before `oldestExamined` nothing is known. */
  readonly isCut: boolean;
}

/**
 * P48: what partners see is what the live snapshot says, also after a rollback, when newer snapshots lie beside it that nobody
 * sees any more.
 */
export function programHistory(history: SnapshotHistory, live: Manifest, programId: string): ProgramHistory {
  const { manifests, isCut } = history;
  const having = manifests.filter(({ programs }) => programs.has(programId));
  const isServed = live.programs.has(programId);
  const newest = isServed ? live : having[0];
  const end = newest === undefined || isServed ? undefined : takenOut(history, live, newest, programId);
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

/** What took a program from partners. */
export type TakenOut =
  /** A build upon `last`, which had it. */
  | { readonly kind: "built"; readonly last: Manifest; readonly by: Manifest }
  /** A rollback from `last`, which had it. */
  | { readonly kind: "rolled_back"; readonly last: Manifest; readonly at: Date }
  /** Of what came right after `last` nothing can be read any more. */
  | { readonly kind: "unknown"; readonly last: Manifest };

/**
 * P48: what took the program from partners who now see `seen`, which lacks it. Two things may have: a build of the line that
 * leads to `seen`, or what became of `last`, the newest of the snapshots in question that have it, which need not be of that
 * line: a rollback may have left it. The later one did.
 */
export function takenOut(
  { manifests, withdrawnAt }: SnapshotHistory,
  seen: Manifest,
  last: Manifest,
  programId: string,
): TakenOut {
  const built = buildOfLine(manifests, seen, programId);
  // Generations only rise: what was published after `last` came after it.
  if (built !== undefined && built.by.generation > last.generation) return { kind: "built", ...built };
  const by = manifests.find(({ parent, programs }) => parent === last.snapshotId && !programs.has(programId));
  const at = withdrawnAt.get(last.snapshotId);
  // The snapshot may have been made live again after that build, and have been left by a rollback then.
  if (at !== undefined && (by === undefined || Date.parse(by.generatedAt) < at.getTime())) {
    return { kind: "rolled_back", last, at };
  }
  return by === undefined ? { kind: "unknown", last } : { kind: "built", last, by };
}

/** The newest build of the line that lacks the program, and the snapshot that it was built on, which has it. */
function buildOfLine(
  manifests: readonly Manifest[],
  seen: Manifest,
  programId: string,
): { readonly last: Manifest; readonly by: Manifest } | undefined {
  const byId = new Map<SnapshotId, Manifest>(manifests.map((manifest) => [manifest.snapshotId, manifest]));
  for (let by = seen; by.parent !== null; ) {
    const last = byId.get(by.parent);
    // A manifest that names a later one as its parent is nobody's, and might lead round in a circle.
    if (last === undefined || last.generation >= by.generation) return undefined;
    if (last.programs.has(programId)) return { last, by };
    by = last;
  }
  return undefined;
}
