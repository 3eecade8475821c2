import type { Current } from "../../../core/current.ts";
import type { SnapshotId } from "../../../core/ids.ts";
import type { PublishedSnapshot } from "./tenant-snapshots.ts";

/**
 * A time in which partners saw a snapshot. Where it is not known when one gave way to another, both periods have the whole
 * time in question, so that they overlap.
 */
export interface LivePeriod {
  readonly snapshotId: SnapshotId;
  /** RFC 3339; not before this. */
  readonly from: string;
  /** Not after this; `null`: it is live now. */
  readonly until: string | null;
  /** What made it live; `null`: not known. */
  readonly how: "published" | "rolled back to" | null;
  /** False where other snapshots, of which nothing is left, may have been live in between. */
  readonly isCertain: boolean;
}

/** What of a stored snapshot tells when partners saw it. */
export type PeriodFacts = Pick<
  PublishedSnapshot,
  "snapshotId" | "generation" | "parent" | "generatedAt" | "storedAt"
> & {
  /** When a rollback last replaced it, as the mark beside it says; `null`: none did, as far as is known. */
  readonly withdrawnAt: string | null;
};

/**
 * P71: which snapshot was live when, newest first. The pointer keeps no history. What is left of it are the manifests, each
 * of which names what was live before it, and the marks of rollbacks, each beside the snapshot that it replaced. So of each
 * change it is known what it ended; what it began is what the next change ended, or what is live now. Generations count
 * the changes: where more happened than is known of, nothing is certain. Pure.
 */
export function livePeriods(
  snapshots: readonly PeriodFacts[],
  current: Pick<Current, "snapshotId" | "generation" | "publishedAt">,
): readonly LivePeriod[] {
  const changes = effectiveChanges(snapshots, current);
  const last = changes.at(-1);
  // Of the last change the pointer has the exact time; rollbacks of which nothing is left may have come after a publication.
  const isPointers =
    last?.after === null || (last?.after === current.snapshotId && last.generation === current.generation);
  if (last !== undefined && isPointers) last.at = current.publishedAt;
  const periods = changes.flatMap((change, at): readonly LivePeriod[] => {
    const next = changes[at + 1];
    const ended = next === undefined ? current.snapshotId : next.before;
    const isRollback = change.after === null && wasLiveBefore(changes, at, ended);
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

/** The periods in which the time lies, more than one where it is not known which it was; none before the first one. */
export function periodsAt(periods: readonly LivePeriod[], time: Date): readonly LivePeriod[] {
  const at = time.getTime();
  return periods.filter(
    ({ from, until }) => Date.parse(from) <= at && (until === null || at < Date.parse(until)),
  );
}

/** Another snapshot became live. */
interface Change {
  at: string;
  /** Of a publication; a rollback raises the pointer's, which nothing remembers. */
  readonly generation: number | null;
  readonly before: SnapshotId;
  /** `null`: a rollback's mark does not say. */
  readonly after: SnapshotId | null;
}

/** In the order of time. The first publication of all ended nothing, and is the beginning. */
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
  const withdrawn = snapshots.flatMap(({ snapshotId, withdrawnAt }): readonly Change[] =>
    withdrawnAt === null ? [] : [{ at: withdrawnAt, generation: null, before: snapshotId, after: null }],
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
 * Whether the snapshot was live before this change, so that a rollback can have brought it back. Of what was not, nothing is
 * left but that it was live next: then the rollback may have been killed, and a publication that was pruned came after it.
 */
function wasLiveBefore(changes: readonly Change[], at: number, snapshotId: SnapshotId): boolean {
  return changes.slice(0, at).some(({ before, after }) => before === snapshotId || after === snapshotId);
}

/** How many changes happened between the publications around this change of which nothing is left. */
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
 * The manifest is put right before the pointer. But its time is the store's: where the store was copied it is that of the
 * copy. Then the time of the reading, which the manifest itself has, is the best that is known.
 */
function publicationTime({ generatedAt, storedAt }: PeriodFacts): string {
  const delay = storedAt.getTime() - Date.parse(generatedAt);
  return delay >= 0 && delay <= maxBuildMs ? storedAt.toISOString() : generatedAt;
}

const maxBuildMs = 30 * 60_000;
