import { once } from "node:events";
import { createSlots, forEachBounded } from "../../../core/bounded-work.ts";
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

/**
 * P32: a tenant has one build at a time; a change that is heard of during the build gets another build after it.
 * P32: builds get slots in the order in which they ask. A round asks for all but one of several slots at a time, and notified tenants
 * for no more than there are. So a notified tenant never waits for the round, and the round ends however many are notified.
 */
export function createTenantQueue(options: QueueOptions): TenantQueue {
  const { concurrency, intervalMs, signal, buildRound, buildNotified } = options;
  const slots = createSlots(concurrency);
  /** Tenants whose builds have not begun. */
  const waiting = { notified: new Set<TenantId>(), turn: new Set<TenantId>() };
  /** The last build of each tenant, until a moment after its end. */
  const lastBuilds = new Map<TenantId, Promise<void>>();
  /** Notified tenants that have asked for a slot, or have one. */
  let asking = 0;
  const underWay = new Set<Promise<void>>();

  function follow(work: Promise<void>): void {
    const followed = work.finally(() => underWay.delete(followed));
    underWay.add(followed);
  }

  async function afterEarlierBuilds(tenantId: TenantId, build: () => Promise<void>): Promise<void> {
    const last = (lastBuilds.get(tenantId) ?? Promise.resolve()).then(build);
    lastBuilds.set(tenantId, last);
    await last;
    if (lastBuilds.get(tenantId) === last) lastBuilds.delete(tenantId);
    beginNotified();
  }

  async function inSlot(
    tenantId: TenantId,
    kind: keyof typeof waiting,
    build: () => Promise<void>,
  ): Promise<void> {
    // Each build sees the signal, and ends by itself.
    await slots(`Building ${tenantId}`, undefined, async () => {
      waiting[kind].delete(tenantId);
      await build();
    });
  }

  function beginNotified(): void {
    for (const tenantId of waiting.notified) {
      if (asking >= concurrency || signal.aborted) return;
      if (lastBuilds.has(tenantId)) continue;
      asking += 1;
      follow(afterEarlierBuilds(tenantId, () => notifiedBuild(tenantId)));
    }
  }

  async function notifiedBuild(tenantId: TenantId): Promise<void> {
    let gathered: Promise<void> | undefined;
    await inSlot(tenantId, "notified", async () => {
      // A burst of changes makes few snapshots.
      gathered = new Promise((resolve) => setTimeout(resolve, gatherMs));
      await buildNotified(tenantId);
    });
    asking -= 1;
    beginNotified();
    await gathered;
  }

  const inTurns: BuildSchedule = async (tenants, build) => {
    for (const tenantId of tenants) waiting.turn.add(tenantId);
    await forEachBounded(tenants, Math.max(1, concurrency - 1), (tenantId) =>
      afterEarlierBuilds(tenantId, () => inSlot(tenantId, "turn", () => build(tenantId))),
    );
  };

  let timer: NodeJS.Timeout | undefined;
  let isInRound = false;
  let isAllNotified = false;
  /** When the next round begins if anything may have changed, and when it begins in any case. */
  let soonestRoundMs = 0;
  let nextRoundMs = 0;

  function planRound(): void {
    clearTimeout(timer);
    if (isInRound || signal.aborted) return;
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
      notified.add(tenantId);
      beginNotified();
    },
    notifyAll,
    async run() {
      planRound();
      if (!signal.aborted) await once(signal, "abort");
      clearTimeout(timer);
      while (underWay.size > 0) await Promise.all(underWay);
    },
    waiting: () => new Set([...waiting.notified, ...waiting.turn]).size,
  };
}

/** The least time between the beginnings of two builds of a notified tenant. */
const gatherMs = 250;
/** The least time between a round and one that begins because anything may have changed. */
const minPauseMs = 1000;
/** The most notified tenants that may wait. One more counts as a change of everything. */
export const maxNotified = 10_000;
