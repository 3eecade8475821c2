import { type Removal, removalOf, type SnapshotMoment, snapshotMoment } from "./program-history.ts";
import type { SnapshotHistory } from "./snapshot-history.ts";

/** Why a snapshot, live at a certain time, did not have a program, as far as snapshots are kept. */
export type MissedProgram =
  /** No kept snapshot has it. `isCut`: others existed. */
  | { readonly kind: "never"; readonly snapshotsExamined: number; readonly isCut: boolean }
  /** A build on `last` removed it. `by` is `null` when the snapshot after `last` cannot be read. */
  | { readonly kind: "removed"; readonly last: SnapshotMoment; readonly by: SnapshotMoment | null }
  /** `last` had it, and a rollback took that back. */
  | { readonly kind: "rolled_back"; readonly last: SnapshotMoment; readonly at: string }
  | { readonly kind: "came_later"; readonly first: SnapshotMoment }
  /** The snapshot is no longer kept. */
  | { readonly kind: "not_kept" };

/** P48: partners need not have seen a newer snapshot at that time, since a rollback may have replaced it. */
export function missedProgram(
  history: SnapshotHistory,
  programId: string,
  snapshotId: string | null,
  at: Date,
): MissedProgram {
  const { manifests, hasGaps } = history;
  const asked = manifests.find((manifest) => manifest.snapshotId === snapshotId);
  if (asked === undefined) return { kind: "not_kept" };
  const having = manifests.filter(({ programs }) => programs.has(programId));
  const [before] = having.filter(({ generation }) => generation < asked.generation);
  const newer = having.filter(({ generation }) => generation > asked.generation);
  for (const manifest of newer) {
    const found = removalOf(history, asked, manifest, programId);
    const isBefore =
      found.kind === "rolled_back"
        ? found.at <= at
        : found.kind === "built" && Date.parse(found.by.generatedAt) < at.getTime();
    if (isBefore) return missedBy(found);
  }
  if (before !== undefined) return missedBy(removalOf(history, asked, before, programId));
  const first = newer.at(-1);
  if (first !== undefined) return { kind: "came_later", first: snapshotMoment(first) };
  return { kind: "never", snapshotsExamined: manifests.length, isCut: hasGaps };
}

function missedBy(found: Removal): MissedProgram {
  const last = snapshotMoment(found.last);
  if (found.kind === "rolled_back") return { kind: "rolled_back", last, at: found.at.toISOString() };
  return { kind: "removed", last, by: found.kind === "built" ? snapshotMoment(found.by) : null };
}
