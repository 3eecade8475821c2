import type { SnapshotId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { SnapshotHistory } from "./snapshot-history.ts";
import { takenOut } from "./taken-out.ts";

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
