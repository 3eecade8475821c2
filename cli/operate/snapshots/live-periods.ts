import type { Current } from "../../../core/current.ts";
import type { SnapshotId } from "../../../core/ids.ts";
import type { PublishedSnapshot } from "./tenant-snapshots.ts";

/**
 * A time in which partners saw a snapshot. When the moment of a change is unknown, both periods contain all possible moments, so
 * they overlap.
 */
export interface LivePeriod {
  readonly snapshotId: SnapshotId;
  /** RFC 3339; not before this. */
  readonly from: string;
  /** Not after this; `null`: it is live now. */
  readonly until: string | null;
  /** What made it live; `null`: not known. */
  readonly how: "published" | "rolled back to" | null;
  /** False when other snapshots may have been live in between that left no trace. */
  readonly isCertain: boolean;
}

/** The facts of a stored snapshot from which its periods follow. `withdrawnAt` is the time that its mark states. */
export type PeriodFacts = Pick<
  PublishedSnapshot,
  "snapshotId" | "generation" | "parent" | "generatedAt" | "storedAt" | "withdrawnAt"
>;

/**
 * P71: which snapshot was live when, newest first. The pointer keeps no history. But each manifest names the snapshot that was
 * live before it, and each rollback leaves a mark beside the snapshot that it replaced. So each change tells which snapshot it
 * ended. It began the one that the next change ended, or the one that is live now. Generations count the changes, so missing
 * changes are noticed.
 */
export function livePeriods(
  snapshots: readonly PeriodFacts[],
  current: Pick<Current, "snapshotId" | "generation" | "publishedAt">,
): readonly LivePeriod[] {
  const changes = effectiveChanges(snapshots, current);
  const last = changes.at(-1);
  // The pointer has the exact time of the last change, unless rollbacks without a mark followed the last known publication.
  const isPointers =
    last?.after === null || (last?.after === current.snapshotId && last.generation === current.generation);
  if (last !== undefined && isPointers) last.at = current.publishedAt;
  const periods = changes.flatMap((change, at): readonly LivePeriod[] => {
    const next = changes[at + 1];
    const ended = next === undefined ? current.snapshotId : next.before;
    const isRollback = change.after === null && wasLiveEarlier(changes, at, ended);
    const began = change.after ?? (isRollback ? ended : change.before);
    const until = next?.at ?? null;
    const isCertain = unknownChanges(changes, at, current.generation) === 0;
    const how = change.after === null ? (isRollback ? "rolled back to" : null) : "published";
    if (began === ended) return [{ snapshotId: ended, from: change.at, until, how, isCertain }];
    const switchedBy = until ?? current.publishedAt;
    const switchedFrom = next === undefined ? current.publishedAt : change.at;
    return [
      { snapshotId: began, from: change.at, until: switchedBy, how, isCertain: false },
      { snapshotId: ended, from: switchedFrom, until, how: null, isCertain: next === undefined },
    ];
  });
  return periods.reverse();
}

/** The periods that contain the time: none before the first period, several where they overlap. */
export function periodsAt(periods: readonly LivePeriod[], time: Date): readonly LivePeriod[] {
  const at = time.getTime();
  return periods.filter(
    ({ from, until }) => Date.parse(from) <= at && (until === null || at < Date.parse(until)),
  );
}

/** Another snapshot became live. */
interface Change {
  at: string;
  /** The generation of a publication; `null` for a rollback, whose generation is not recorded. */
  readonly generation: number | null;
  readonly before: SnapshotId;
  /** `null` for a rollback, whose mark does not say. */
  readonly after: SnapshotId | null;
}

/** In the order of time. The first publication counts as a change from itself. */
function effectiveChanges(
  snapshots: readonly PeriodFacts[],
  current: Pick<Current, "snapshotId">,
): readonly Change[] {
  const published = snapshots.map(
    (snapshot): Change => ({
      at: publicationTime(snapshot),
      generation: snapshot.generation,
      before: snapshot.parent ?? snapshot.snapshotId,
      after: snapshot.snapshotId,
    }),
  );
  const withdrawn = snapshots.flatMap(({ snapshotId: before, withdrawnAt }): readonly Change[] =>
    withdrawnAt === null ? [] : [{ at: withdrawnAt.toISOString(), generation: null, before, after: null }],
  );
  const all = [...published, ...withdrawn].sort(
    (a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.generation ?? 0) - (b.generation ?? 0),
  );
  // A rollback that was killed between its mark and its swap changed nothing.
  return all.filter(
    (change, at) => change.after !== null || (all[at + 1]?.before ?? current.snapshotId) !== change.before,
  );
}

/**
 * Whether the snapshot was live before this change, so that a rollback may have brought it back. Otherwise the rollback was
 * probably killed, and a publication followed that was pruned since.
 */
function wasLiveEarlier(changes: readonly Change[], at: number, snapshotId: SnapshotId): boolean {
  return changes.slice(0, at).some(({ before, after }) => before === snapshotId || after === snapshotId);
}

/** How many changes without a trace happened between the publications around this change. */
function unknownChanges(changes: readonly Change[], at: number, generation: number): number {
  let first = at;
  while (first > 0 && changes[first]?.generation === null) first -= 1;
  let next = at + 1;
  while (next < changes.length && changes[next]?.generation === null) next += 1;
  const start = changes[first]?.generation;
  if (start === null || start === undefined) return 1;
  const rollbacks = next - first - 1;
  const end = changes[next]?.generation;
  return end === null || end === undefined ? generation - start - rollbacks : end - start - 1 - rollbacks;
}

/**
 * The time at which the manifest was stored, right before the pointer. In a copied store that is the time of the copy; then the
 * time of the reading is the best one known.
 */
function publicationTime({ generatedAt, storedAt }: PeriodFacts): string {
  const delay = storedAt.getTime() - Date.parse(generatedAt);
  return delay >= 0 && delay <= maxBuildMs ? storedAt.toISOString() : generatedAt;
}

const maxBuildMs = 30 * 60_000;
