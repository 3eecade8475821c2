import type { SnapshotId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { SnapshotHistory } from "./snapshot-history.ts";

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
