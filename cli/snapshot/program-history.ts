import type { SnapshotId } from "../../core/ids.ts";
import type { Manifest } from "../../core/manifest.ts";
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
  /** The newest one with it. */
  readonly last: SnapshotMoment | null;
  /** Whether the live snapshot has it. */
  readonly isServed: boolean;
  /** The snapshot after `last`, the first one without the program; `null` when there is none: see `isServed`. */
  readonly removedBy: SnapshotMoment | null;
  /** The build that wrote the bytes of `last`: since then the program's content is the same. */
  readonly unchangedSince: SnapshotId | null;
  readonly snapshotsExamined: number;
  readonly oldestExamined: SnapshotMoment | null;
  /** Of what was before `oldestExamined` nothing is known. */
  readonly isCut: boolean;
}

export function programHistory(history: SnapshotHistory, live: Manifest, programId: string): ProgramHistory {
  const { manifests, isCut } = history;
  const having = manifests.filter(({ programs }) => programs.has(programId));
  const [last, first] = [having[0], having.at(-1)];
  const after = last === undefined ? undefined : manifests[manifests.indexOf(last) - 1];
  return {
    first: moment(first),
    last: moment(last),
    isServed: live.programs.has(programId),
    removedBy: moment(after),
    unchangedSince: last?.programs.get(programId)?.snapshotId ?? null,
    snapshotsExamined: manifests.length,
    oldestExamined: moment(manifests.at(-1)),
    isCut,
  };
}

function moment(manifest: Manifest | undefined): SnapshotMoment | null {
  if (manifest === undefined) return null;
  const { snapshotId, generatedAt } = manifest;
  return { snapshotId, generatedAt };
}
