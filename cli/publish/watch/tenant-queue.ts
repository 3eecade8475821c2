import { once } from "node:events";
import type { TenantId } from "../../../core/ids.ts";
import type { BuildSchedule } from "../run/build-run.ts";

/** Decides which build begins when. */
export interface TenantQueue {
  /** The tenant changed. */
  notify(tenantId: TenantId): void;
  /** Anything may have changed, so a round of all is due: as long after the last one as that took, and a second at least. */
  notifyAll(): void;
  /** Begins builds until the signal; resolves when those under way have ended, too. */
  run(): Promise<void>;
  /** Tenants that wait for a build. */
  waiting(): number;
}

export interface QueueOptions {
  /** Builds at a time, at least 1. */
  readonly concurrency: number;
  /** From the beginning of a round to the beginning of the next, at most. */
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** Builds all tenants, each when the schedule says so. Never rejects. */
  readonly buildRound: (schedule: BuildSchedule) => Promise<void>;
  /** Builds a notified tenant. Never rejects. */
  readonly buildNotified: (tenantId: TenantId) => Promise<void>;
}

type Build = () => Promise<void>;
type Kind = "notified" | "turn";

/**
 * P32: a tenant has one build at a time; a change that is heard of during the build gets another build after it.
 * P32: a notified tenant goes before the round of all, and the round leaves one of several slots free for notified tenants.
 */
export function createTenantQueue(options: QueueOptions): TenantQueue {
  const { concurrency, intervalMs, signal, buildRound, buildNotified } = options;
  const roundSlots = Math.max(1, concurrency - 1);
  /** Builds that wait for a slot: of notified tenants, and those of the round that wait for their turn. */
  const waiting = { notified: new Map<TenantId, Build>(), turn: new Map<TenantId, Build>() };
  /** Tenants that are being built, or were a moment ago. */
  const busy = new Set<TenantId>();
  const slots = { notified: 0, turn: 0 };
  let lastKind: Kind = "turn";
  const underWay = new Set<Promise<void>>();
  let hasBegun = false;

  /** Begins what there is a slot for. */
  function look(): void {
    while (hasBegun && !signal.aborted && slots.notified + slots.turn < concurrency) {
      const turn = slots.turn < roundSlots ? firstFree("turn") : undefined;
      // P32: an endless series of notifications must not stop the round, so they take turns where both wait.
      const isRoundOwed = turn !== undefined && slots.turn === 0 && lastKind === "notified";
      const tenantId = isRoundOwed ? undefined : firstFree("notified");
      if (tenantId !== undefined) follow(build("notified", tenantId));
      else if (turn !== undefined) follow(build("turn", turn));
      else return;
    }
  }

  function firstFree(kind: Kind): TenantId | undefined {
    for (const tenantId of waiting[kind].keys()) if (!busy.has(tenantId)) return tenantId;
    return undefined;
  }

  async function build(kind: Kind, tenantId: TenantId): Promise<void> {
    const own = waiting[kind].get(tenantId);
    waiting[kind].delete(tenantId);
    busy.add(tenantId);
    slots[kind] += 1;
    lastKind = kind;
    // A burst of changes makes few snapshots.
    const gathered = new Promise<void>((resolve) => setTimeout(resolve, gatherMs));
    await own?.();
    slots[kind] -= 1;
    look();
    if (kind === "notified") await gathered;
    busy.delete(tenantId);
    look();
  }

  function follow(work: Promise<void>): void {
    const followed = work.finally(() => underWay.delete(followed));
    underWay.add(followed);
  }

  const inTurns: BuildSchedule = async (tenants, own) => {
    const ended = tenants.map(
      (tenantId) =>
        new Promise<void>((resolve) => {
          waiting.turn.set(tenantId, () => own(tenantId).then(resolve));
        }),
    );
    if (signal.aborted) endTurns();
    else look();
    await Promise.all(ended);
  };

  /** Each build sees the signal, and ends by itself. */
  function endTurns(): void {
    for (const own of waiting.turn.values()) follow(own());
    waiting.turn.clear();
  }

  let timer: NodeJS.Timeout | undefined;
  let isInRound = false;
  let isAllNotified = false;
  /** When the next round begins if anything may have changed, and when it begins in any case. */
  let soonestRoundMs = 0;
  let nextRoundMs = 0;

  function planRound(): void {
    clearTimeout(timer);
    if (!hasBegun || isInRound || signal.aborted) return;
    const atMs = isAllNotified ? Math.min(soonestRoundMs, nextRoundMs) : nextRoundMs;
    timer = setTimeout(() => follow(round()), Math.max(0, Math.ceil(atMs - performance.now())));
  }

  async function round(): Promise<void> {
    isInRound = true;
    isAllNotified = false;
    const beganMs = performance.now();
    nextRoundMs = beganMs + intervalMs;
    await buildRound(inTurns);
    isInRound = false;
    const nowMs = performance.now();
    soonestRoundMs = nowMs + Math.max(minPauseMs, nowMs - beganMs);
    planRound();
  }

  function notifyAll(): void {
    isAllNotified = true;
    planRound();
  }

  return {
    notify(tenantId) {
      // P182: anybody who may connect to the database can notify, also of tenants that do not exist.
      const { notified } = waiting;
      if (notified.size >= maxNotified && !notified.has(tenantId)) return notifyAll();
      notified.set(tenantId, () => buildNotified(tenantId));
      look();
    },
    notifyAll,
    async run() {
      hasBegun = true;
      planRound();
      look();
      if (!signal.aborted) await once(signal, "abort");
      clearTimeout(timer);
      endTurns();
      while (underWay.size > 0) await Promise.all(underWay);
    },
    waiting: () => new Set([...waiting.notified.keys(), ...waiting.turn.keys()]).size,
  };
}

/** The least time between the beginnings of two builds of a notified tenant. */
const gatherMs = 250;
/** The least time between a round and one that begins because anything may have changed. */
const minPauseMs = 1000;
/** The most notified tenants that may wait. One more counts as a change of everything. */
const maxNotified = 10_000;
