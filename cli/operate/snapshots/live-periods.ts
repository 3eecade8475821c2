import type { Current } from "../../../core/current.ts";
import type { SnapshotId } from "../../../core/ids.ts";
import type { PublishedSnapshot } from "./tenant-snapshots.ts";

/** A time in which partners saw a snapshot. */
export interface LivePeriod {
  readonly snapshotId: SnapshotId;
  /** RFC 3339. */
  readonly from: string;
  /** `null`: it is live now. */
  readonly until: string | null;
  /** What made it live. */
  readonly how: "published" | "rolled back to";
  /** Whether the snapshot that partners saw right before is damaged or not kept. */
  readonly isAfterGap: boolean;
}

/** What is known of a stored snapshot, from which its periods follow. */
export type PeriodFacts = Pick<
  PublishedSnapshot,
  "snapshotId" | "generation" | "parent" | "generatedAt" | "storedAt" | "rollbacks"
>;

/** A snapshot became live. */
interface Change extends Pick<LivePeriod, "how"> {
  readonly generation: number;
  readonly at: string;
  /** The snapshot that was live before; `null` when that is not known. */
  readonly before: SnapshotId | null;
  readonly after: SnapshotId;
}

/**
 * P48: which snapshot was live when, newest first. Each manifest names its generation, and the mark of a rollback does, too, so
 * generations give the order. Marks of version 0.2 say nothing; after such a rollback the history has a gap.
 */
export function livePeriods(
  snapshots: readonly PeriodFacts[],
  current: Pick<Current, "snapshotId" | "generation" | "publishedAt">,
): readonly LivePeriod[] {
  const changes = changesOf(snapshots);
  // A rollback that was killed between its mark and its swap changed nothing: what came next went on from the same snapshot.
  const happened = changes.filter(
    ({ how, before }, at) =>
      how === "published" || (changes[at + 1]?.before ?? current.snapshotId) !== before,
  );
  // The pointer knows the last change best. It is the only trace of a rollback whose mark was deleted with its snapshot.
  const { snapshotId, publishedAt: from } = current;
  const last = happened.at(-1);
  const isLast = last?.after === snapshotId && (last.generation > current.generation - 1 || last.at === from);
  const how = isLast ? last.how : "rolled back to";
  const earlier = isLast ? happened.slice(0, -1) : happened;
  const before = isLast ? last.before : undefined;
  return [...earlier, { after: snapshotId, at: from, how, before }]
    .map(({ after, at, how, before }, place, all): LivePeriod => {
      const isAfterGap = before !== null && (place === 0 || before !== all[place - 1]?.after);
      return { snapshotId: after, from: at, until: all[place + 1]?.at ?? null, how, isAfterGap };
    })
    .reverse();
}

/** In the order of generations. */
function changesOf(snapshots: readonly PeriodFacts[]): readonly Change[] {
  const published = snapshots.map((snapshot): Change => {
    const { generation, parent: before, snapshotId: after } = snapshot;
    return { how: "published", generation, at: publicationTime(snapshot), before, after };
  });
  const rollbacks = snapshots.flatMap(({ snapshotId: before, rollbacks }) =>
    rollbacks.flatMap(({ at, to: after, generation }): readonly Change[] =>
      after === null || generation === null ? [] : [{ how: "rolled back to", generation, at, before, after }],
    ),
  );
  return [...published, ...rollbacks].sort((a, b) => a.generation - b.generation || (a.at < b.at ? -1 : 1));
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
