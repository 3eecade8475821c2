import type { TenantId } from "../../../core/ids.ts";

/** A build or a round that is to begin now. `turn`: the tenant's build in the round that was begun. */
export type Task =
  | { readonly kind: "round" }
  | { readonly kind: "notified" | "turn"; readonly tenantId: TenantId };

/** Decides which build begins when. Times are milliseconds of one clock that never goes back. */
export interface TenantQueue {
  /** The tenant changed. */
  notify(tenantId: TenantId): void;
  /** Anything may have changed, so a round of all is due: as long after the last one as that took, and a second at least. */
  notifyAll(): void;
  /** What to begin next. Call it after each event and at `wakeAtMs`, until it returns `undefined`. */
  next(nowMs: number): Task | undefined;
  /** When to call `next` again if no event comes before. Call this after `next` has returned `undefined`. */
  wakeAtMs(): number;
  /** The tenants of the round that was begun. */
  roundListed(tenants: readonly TenantId[]): void;
  /** The round is over, also for tenants that had no turn in it. */
  roundEnded(nowMs: number): void;
  /** The tenant's build is over. */
  ended(tenantId: TenantId): void;
  /** Tenants that wait for a build. */
  waiting(): number;
}

export interface QueueLimits {
  /** Builds at a time, at least 1. */
  readonly concurrency: number;
  /** From the beginning of a round to the beginning of the next, at most. */
  readonly intervalMs: number;
}

/**
 * P32: a tenant has one build at a time; a change that is heard of during the build gets another build after it.
 * P33: a notified tenant goes before the round of all, and the round leaves one of several slots free for notified tenants.
 */
export function createTenantQueue({ concurrency, intervalMs }: QueueLimits): TenantQueue {
  const roundSlots = Math.max(1, concurrency - 1);
  /** Notified tenants in the order in which they were named first. */
  const notified = new Set<TenantId>();
  const underWay = new Map<TenantId, "notified" | "turn">();
  /** When the last build of a notified tenant began, oldest first. An entry is kept while it delays the next build. */
  const notifiedBuildAtMs = new Map<TenantId, number>();
  /** Tenants that still wait for their turn. */
  let round: Set<TenantId> | undefined;
  let roundBeganAtMs = 0;
  /** When the next round begins if anything may have changed, and when it begins in any case. */
  let soonestRoundAtMs = 0;
  let nextRoundAtMs = 0;
  let isAllNotified = false;
  let lastBegan: "notified" | "turn" = "turn";

  const readyAtMs = (tenantId: TenantId): number =>
    (notifiedBuildAtMs.get(tenantId) ?? Number.NEGATIVE_INFINITY) + gatherMs;
  const roundAtMs = (): number => (isAllNotified ? Math.min(soonestRoundAtMs, nextRoundAtMs) : nextRoundAtMs);
  const turnsUnderWay = (): number => [...underWay.values()].filter((kind) => kind === "turn").length;

  function begin(kind: "notified" | "turn", tenantId: TenantId, nowMs: number): Task {
    underWay.set(tenantId, kind);
    lastBegan = kind;
    if (kind === "turn") round?.delete(tenantId);
    else {
      notified.delete(tenantId);
      notifiedBuildAtMs.set(tenantId, nowMs);
    }
    return { kind, tenantId };
  }

  return {
    notify(tenantId) {
      // P182: anybody who may connect to the database can notify, also of tenants that do not exist.
      if (notified.size >= maxNotified && !notified.has(tenantId)) isAllNotified = true;
      else notified.add(tenantId);
    },
    notifyAll() {
      isAllNotified = true;
    },

    next(nowMs) {
      for (const [tenantId, beganAtMs] of notifiedBuildAtMs) {
        if (beganAtMs + gatherMs > nowMs) break;
        notifiedBuildAtMs.delete(tenantId);
      }
      if (round === undefined && nowMs >= roundAtMs()) {
        round = new Set();
        isAllNotified = false;
        roundBeganAtMs = nowMs;
        nextRoundAtMs = nowMs + intervalMs;
        return { kind: "round" };
      }
      if (underWay.size >= concurrency) return undefined;
      const turns = turnsUnderWay();
      const ofRound = turns < roundSlots ? firstOf(round ?? [], (id) => !underWay.has(id)) : undefined;
      // P33: an endless series of notifications must not stop the round, so they take turns where both wait.
      const isRoundOwed = ofRound !== undefined && turns === 0 && lastBegan === "notified";
      const ofNotified = isRoundOwed
        ? undefined
        : firstOf(notified, (id) => !underWay.has(id) && readyAtMs(id) <= nowMs);
      if (ofNotified !== undefined) return begin("notified", ofNotified, nowMs);
      return ofRound === undefined ? undefined : begin("turn", ofRound, nowMs);
    },

    wakeAtMs() {
      const times = round === undefined ? [roundAtMs()] : [];
      if (underWay.size < concurrency) {
        for (const tenantId of notified) if (!underWay.has(tenantId)) times.push(readyAtMs(tenantId));
      }
      return Math.min(...times);
    },

    roundListed(tenants) {
      round = new Set(tenants);
    },
    roundEnded(nowMs) {
      round = undefined;
      soonestRoundAtMs = nowMs + Math.max(minPauseMs, nowMs - roundBeganAtMs);
    },
    ended(tenantId) {
      underWay.delete(tenantId);
    },
    waiting: () => new Set([...notified, ...(round ?? [])]).size,
  };
}

function firstOf(tenants: Iterable<TenantId>, isWanted: (id: TenantId) => boolean): TenantId | undefined {
  for (const tenantId of tenants) if (isWanted(tenantId)) return tenantId;
  return undefined;
}

/** The least time between two builds of a notified tenant, so that a burst of changes makes few snapshots. */
const gatherMs = 250;
/** The least time between a round and one that begins because anything may have changed. */
const minPauseMs = 1000;
/** The most notified tenants that may wait. One more counts as a change of everything. */
const maxNotified = 10_000;
