import type { TenantId } from "../../../core/ids.ts";
import { Hints } from "./hints.ts";
import { type Lane, UnderWay } from "./under-way.ts";

/** A build or a round that is to begin now. */
export type Task =
  | { readonly kind: "round" }
  | {
      readonly kind: "told";
      readonly tenantId: TenantId;
      readonly hintedPrograms: ReadonlySet<string> | undefined;
    }
  /** A tenant's turn in the round that was begun. */
  | { readonly kind: "turn"; readonly tenantId: TenantId }
  /** Another builder had the tenant when its build was tried last. */
  | { readonly kind: "again"; readonly tenantId: TenantId };

/** Decides which build begins when. Times are milliseconds of one clock that never goes back. */
export interface TenantQueue {
  /** The tenant changed; `program`: in this program alone. */
  tell(tenantId: TenantId, program: string | undefined): void;
  /** Anything may have changed, so a round of all is due. */
  tellAll(): void;
  /** Anything may have changed, by a sender who may be anybody. Such messages cause at most one round per interval. */
  tellVaguely(): void;
  /** What to begin next. Call it after each event and at `wakeAtMs`, until it returns `undefined`. */
  next(nowMs: number): Task | undefined;
  /** When to call `next` again if no event comes before. Call this after `next` has returned `undefined`. */
  wakeAtMs(): number;
  /** The tenants of the round that was begun. */
  roundListed(tenants: readonly TenantId[]): void;
  /** The round is over, also for tenants that had no turn in it. */
  roundEnded(): void;
  /** Another builder has the tenant: its slot is free, and it is tried again a little later. */
  taken(tenantId: TenantId, nowMs: number): void;
  /** The tenant's build is over. `isLive`: what is live now is what the source said when the build began, or later. */
  ended(tenantId: TenantId, isLive: boolean): void;
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
 * P32: a tenant has one build at a time; changes that are told during the build get another build after it.
 * P33: a told tenant goes before the round of all, and the round leaves one of several slots free for told tenants.
 */
export function createTenantQueue({ concurrency, intervalMs }: QueueLimits): TenantQueue {
  const hints = new Hints();
  const roundSlots = Math.max(1, concurrency - 1);
  /** Told tenants in the order in which they were told first. */
  const told = new Set<TenantId>();
  const underWay = new UnderWay();
  /** When the last build of a told tenant began, oldest first. An entry is kept while it delays the next build. */
  const toldBuildAtMs = new Map<TenantId, number>();
  /** Tenants that still wait for their turn. */
  let round: Set<TenantId> | undefined;
  let isRoundDue = true;
  let isVaguelyDue = false;
  let nextVagueRoundAtMs = Number.NEGATIVE_INFINITY;
  let nextRoundAtMs = 0;
  let toldInARow = 0;

  const readyAtMs = (tenantId: TenantId): number =>
    (toldBuildAtMs.get(tenantId) ?? Number.NEGATIVE_INFINITY) + gatherMs;

  /** The tenants of a lane that other builders have. A tenant of the round that was told meanwhile counts as told. */
  const parked = (lane: Lane): ReadonlyMap<TenantId, number> =>
    underWay.parked(lane, (tenantId) => (told.has(tenantId) ? "told" : "round"));

  function nextTold(nowMs: number): Task | undefined {
    for (const [tenantId, untilMs] of parked("told")) if (untilMs <= nowMs) return again(tenantId);
    for (const tenantId of told) {
      if (!underWay.has(tenantId) && readyAtMs(tenantId) <= nowMs) {
        return { kind: "told", tenantId, hintedPrograms: hints.of(tenantId) };
      }
    }
    return undefined;
  }

  function nextOfRound(nowMs: number): Task | undefined {
    for (const [tenantId, untilMs] of parked("round")) if (untilMs <= nowMs) return again(tenantId);
    for (const tenantId of round ?? []) if (!underWay.has(tenantId)) return { kind: "turn", tenantId };
    return undefined;
  }

  const again = (tenantId: TenantId): Task => ({ kind: "again", tenantId });

  function begin(task: Exclude<Task, { kind: "round" }>, lane: Lane, nowMs: number): Task {
    const { kind, tenantId } = task;
    toldInARow = lane === "told" ? toldInARow + 1 : 0;
    underWay.begin(tenantId, lane);
    if (kind === "again") return task;
    hints.begun(tenantId);
    if (kind === "turn") round?.delete(tenantId);
    else {
      told.delete(tenantId);
      hints.taken(tenantId);
      toldBuildAtMs.set(tenantId, nowMs);
    }
    return task;
  }

  function tellAll(): void {
    isRoundDue = true;
    hints.distrustAll();
  }

  /** P182: junk notifications cause at most one round per interval. */
  function tellVaguely(): void {
    isVaguelyDue = true;
    hints.distrustAll();
  }

  return {
    tell(tenantId, program) {
      // Anybody who may connect to the database can notify, also with tenants that do not exist.
      if (told.size >= maxTold && !told.has(tenantId)) tellVaguely();
      else {
        told.add(tenantId);
        hints.tell(tenantId, program);
      }
    },
    tellAll,
    tellVaguely,

    next(nowMs) {
      for (const [tenantId, beganAtMs] of toldBuildAtMs) {
        if (beganAtMs + gatherMs > nowMs) break;
        toldBuildAtMs.delete(tenantId);
      }
      const isVagueRound = isVaguelyDue && nowMs >= nextVagueRoundAtMs;
      if (round === undefined && (isRoundDue || isVagueRound || nowMs >= nextRoundAtMs)) {
        round = new Set();
        // A round that is due anyway was not caused by junk, so it does not use up the interval.
        if (isVagueRound && !isRoundDue && nowMs < nextRoundAtMs) nextVagueRoundAtMs = nowMs + intervalMs;
        isRoundDue = false;
        isVaguelyDue = false;
        nextRoundAtMs = nowMs + intervalMs;
        return { kind: "round" };
      }
      if (underWay.slots() >= concurrency) return undefined;
      const ofRound = underWay.slots("round") < roundSlots ? nextOfRound(nowMs) : undefined;
      // P33: an endless series of told tenants must not stop the round.
      const isRoundOwed =
        ofRound !== undefined && toldInARow >= maxToldInARow && underWay.slots("round") === 0;
      const ofTold = isRoundOwed ? undefined : nextTold(nowMs);
      if (ofTold !== undefined && ofTold.kind !== "round") return begin(ofTold, "told", nowMs);
      if (ofRound !== undefined && ofRound.kind !== "round") return begin(ofRound, "round", nowMs);
      return undefined;
    },

    wakeAtMs() {
      const roundAtMs = isVaguelyDue ? Math.min(nextVagueRoundAtMs, nextRoundAtMs) : nextRoundAtMs;
      const times = [round === undefined ? roundAtMs : Number.POSITIVE_INFINITY];
      if (underWay.slots() < concurrency) {
        times.push(...parked("told").values());
        if (underWay.slots("round") < roundSlots) times.push(...parked("round").values());
        for (const tenantId of told) if (!underWay.has(tenantId)) times.push(readyAtMs(tenantId));
      }
      return Math.min(...times);
    },

    roundListed(tenants) {
      round = new Set(tenants);
    },
    roundEnded() {
      round = undefined;
    },
    taken(tenantId, nowMs) {
      underWay.park(tenantId, nowMs + retryTakenMs);
    },
    ended(tenantId, isLive) {
      underWay.end(tenantId);
      hints.built(tenantId, isLive);
    },
    waiting() {
      return new Set([...told, ...(round ?? []), ...parked("told").keys(), ...parked("round").keys()]).size;
    },
  };
}

/** The least time between two builds of a told tenant, so that a burst of changes makes few snapshots. */
const gatherMs = 250;
/** How long to wait before a tenant that another builder has is tried again. */
const retryTakenMs = 500;
/** The most told tenants that may wait. One more counts as a change of everything. */
const maxTold = 10_000;
/** How many told tenants begin before the round, when nothing of it is being built, gets a turn. */
const maxToldInARow = 8;
