import type { Current } from "../../../core/documents/current.ts";
import { forEachBounded, inRounds } from "../../../core/ground/bounded-work.ts";
import { asFailure, type Failure } from "../../../core/ground/failure.ts";
import { isSnapshotId, type SnapshotId } from "../../../core/ground/ids.ts";
import { type SnapshotMark, snapshotsPrefix } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { PointerVersion } from "../../publish/snapshot/stored-snapshot.ts";
import { type ManifestHead, readManifestHead } from "./manifest-head.ts";
import { type MarkedRollback, readMark } from "./snapshot-marks.ts";

/** A snapshot that partners see or have seen. */
export interface PublishedSnapshot extends ManifestHead {
  readonly isLive: boolean;
  /** The latest time at which it may have been live, by the store's clock; `null` for the live one. */
  readonly liveUntil: Date | null;
  /** A rollback replaced it. */
  readonly withdrawnAt: Date | null;
  /** The rollbacks that replaced it, oldest first; one that was killed may be among them. */
  readonly rollbacks: readonly MarkedRollback[];
  /** A prune has begun to delete it: it can't become live again. Only some readers look for that. */
  readonly isCondemned: boolean;
}

/** What lies below a tenant's `snapshots/`. */
export interface TenantSnapshots {
  /** By generation, highest first. */
  readonly published: readonly PublishedSnapshot[];
  /** When partners saw which, as far as snapshots are kept, newest first (P48). */
  readonly periods: readonly LivePeriod[];
  /** Folders that are no snapshots: of builds killed, overtaken or under way, and leftovers of a prune. */
  readonly others: readonly SnapshotId[];
  /** Folders whose manifest is damaged, and how. */
  readonly damaged: readonly { readonly snapshotId: SnapshotId; readonly failure: Failure }[];
  /** Whether there are older folders than those that were looked at. */
  readonly hasOlder: boolean;
}

/** Small reads side by side, and whole manifests, each of which names all programs of its tenant. */
const [maxParallelReads, maxParallelManifests] = [16, 4];

/**
 * The tenant's snapshots, according to their manifests and the pointer, which was read *before*. A manifest
 * alone proves nothing, since its builder may have been killed or overtaken. So a snapshot counts when the
 * pointer names it, when a later manifest names it as its parent, or when a rollback has marked it as
 * withdrawn. `program`: looks for this program, in the newest folders by their names, that many beside the
 * live one's.
 */
export async function readTenantSnapshots(
  store: ObjectStore,
  pointer: PointerVersion,
  signal: AbortSignal,
  program?: { readonly programId: string; readonly newest: number },
): Promise<TenantSnapshots> {
  const { tenantId, snapshotId: liveId } = pointer.current;
  const all: SnapshotId[] = [];
  for await (const folder of store.listFolders(snapshotsPrefix(tenantId), { signal })) {
    if (isSnapshotId(folder)) all.push(folder);
  }
  const folders = all.filter(
    (folder, at) => folder === liveId || at >= all.length - (program?.newest ?? all.length),
  );
  const heads: ManifestHead[] = [];
  const damaged: TenantSnapshots["damaged"][number][] = [];
  const maxParallel = program === undefined ? maxParallelReads : maxParallelManifests;
  await forEachBounded(folders, maxParallel, async (snapshotId) => {
    try {
      const head = await readManifestHead(store, tenantId, snapshotId, signal, program?.programId);
      if (head !== undefined) heads.push(head);
    } catch (error) {
      const failure = asFailure(error);
      if (failure.code !== "corrupt_document") throw error;
      damaged.push({ snapshotId, failure });
    }
  });
  const parents = new Set(heads.map(({ parent }) => parent));
  const isNowhere = program !== undefined && heads.every(({ entry }) => entry === null);
  const found = await inRounds(heads, maxParallelReads, async (head): Promise<PublishedSnapshot> => {
    const { snapshotId } = head;
    const mark = (name: SnapshotMark) => readMark(store, tenantId, snapshotId, name, signal);
    const isLive = snapshotId === liveId;
    // Rollbacks say nothing of a program that no snapshot has. Then a mark only tells that a snapshot counts
    // that no other vouches for.
    const withdrawn = isNowhere && (isLive || parents.has(snapshotId)) ? undefined : await mark("withdrawn");
    const isCondemned = program === undefined && (await mark("condemned")) !== undefined;
    const { storedAt: withdrawnAt = null, rollbacks = [] } = withdrawn ?? {};
    return { ...head, isLive, liveUntil: null, withdrawnAt, rollbacks, isCondemned };
  });

  const times = lifetimes(found, pointer);
  const published = found.flatMap((snapshot): PublishedSnapshot[] => {
    const until = times.get(snapshot.snapshotId);
    if (snapshot.isLive) return [snapshot];
    return until === undefined ? [] : [{ ...snapshot, liveUntil: new Date(until) }];
  });
  published.sort((a, b) => b.generation - a.generation || (a.snapshotId < b.snapshotId ? 1 : -1));
  const periods = livePeriods(published, pointer.current);
  const known = new Set([...published, ...damaged].map(({ snapshotId }) => snapshotId));
  const others = folders.filter((folder) => !known.has(folder));
  return { published, periods, others, damaged, hasOlder: folders.length < all.length };
}

/**
 * Until when each replaced snapshot may have been live, in milliseconds. A builder can sleep between its
 * manifest and the pointer, so the time of a child's manifest is too early a bound. The child was certainly
 * live by the time of *its* successor.
 */
function lifetimes(
  found: readonly PublishedSnapshot[],
  { current, modifiedAt }: PointerVersion,
): ReadonlyMap<SnapshotId, number> {
  const liveBy = new Map<SnapshotId, number>();
  const liveUntil = new Map<SnapshotId, number>();
  for (const { snapshotId, withdrawnAt } of found) {
    if (withdrawnAt === null) continue;
    liveBy.set(snapshotId, withdrawnAt.getTime());
    liveUntil.set(snapshotId, withdrawnAt.getTime());
  }
  for (const { parent, storedAt } of found) {
    if (parent === null) continue;
    liveBy.set(parent, Math.min(storedAt.getTime(), liveBy.get(parent) ?? Number.POSITIVE_INFINITY));
  }
  liveBy.set(current.snapshotId, modifiedAt.getTime());
  for (const { snapshotId, parent, storedAt } of found) {
    if (parent === null) continue;
    const replacedAt = Math.max(storedAt.getTime(), liveBy.get(snapshotId) ?? 0);
    liveUntil.set(parent, Math.max(replacedAt, liveUntil.get(parent) ?? 0));
  }
  return liveUntil;
}

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
 * P48: which snapshot was live when, newest first. Each manifest names its generation, and the mark of a
 * rollback does, too, so generations give the order. Marks of version 0.2 say nothing; after such a rollback
 * the history has a gap.
 */
export function livePeriods(
  snapshots: readonly PeriodFacts[],
  current: Pick<Current, "snapshotId" | "generation" | "publishedAt">,
): readonly LivePeriod[] {
  const changes = changesOf(snapshots);
  // A rollback killed between its mark and its swap changed nothing: the same snapshot was built on.
  const happened = changes.filter(
    ({ how, before }, at) =>
      how === "published" || (changes[at + 1]?.before ?? current.snapshotId) !== before,
  );
  // The pointer knows the last change best: it is the only trace of a rollback whose mark was deleted.
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
 * The time at which the manifest was stored, right before the pointer. In a copied store that is the time of
 * the copy; then the time of the reading is the best one known.
 */
function publicationTime({ generatedAt, storedAt }: PeriodFacts): string {
  const delay = storedAt.getTime() - Date.parse(generatedAt);
  return delay >= 0 && delay <= maxBuildMs ? storedAt.toISOString() : generatedAt;
}

const maxBuildMs = 30 * 60_000;

/**
 * The snapshots that a rollback may make live, newest first, and the one that it takes when it is not told:
 * the parent of the live one, or if that is gone the newest earlier one that no rollback has replaced. While
 * a rollback holds the tenant it has to be told (P14).
 */
export function rollbackTargets(
  { published }: Pick<TenantSnapshots, "published">,
  { generation, hold }: Current,
) {
  const all = published.filter(({ isLive, isCondemned }) => !isLive && !isCondemned);
  const live = published.find(({ isLive }) => isLive);
  const below = live?.generation ?? generation;
  const usual =
    all.find(({ snapshotId }) => snapshotId === live?.parent) ??
    all.find((earlier) => earlier.generation < below && earlier.withdrawnAt === null);
  return { all, usual: hold === null ? usual : undefined };
}
