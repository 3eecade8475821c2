import type { PublishedSnapshot } from "./tenant-snapshots.ts";

export interface PruneRules {
  /** Snapshots kept at least, the live one counted. */
  readonly keep: number;
  /** Nothing that was written or live less long ago is deleted. */
  readonly minAgeMs: number;
}

export interface PrunePlan {
  readonly kept: readonly PublishedSnapshot[];
  /** Snapshots that go: they must not become live again. */
  readonly dropped: readonly PublishedSnapshot[];
}

/**
 * Which of a tenant's snapshots stay: the live one, the newest others by generation up to the number, and every one that
 * may have been live within the minimum age. The last rule is for readers: a gateway that lost the store goes on with
 * what it knew for up to `SNAPSHOT_MAX_STALE_SECONDS`, so the minimum age must be longer than that.
 */
export function prunePlan(
  published: readonly PublishedSnapshot[],
  { keep, minAgeMs }: PruneRules,
  now: Date,
): PrunePlan {
  const youngest = now.getTime() - minAgeMs;
  // What a prune has begun to delete is no use to go back to, so it does not count.
  const newest = published.filter(({ isLive, isCondemned }) => !isLive && !isCondemned).slice(0, keep - 1);
  const isKept = (snapshot: PublishedSnapshot): boolean =>
    snapshot.isLive ||
    newest.includes(snapshot) ||
    (snapshot.liveUntil !== null && snapshot.liveUntil.getTime() > youngest);
  return {
    kept: published.filter(isKept),
    dropped: published.filter((snapshot) => !isKept(snapshot)),
  };
}
