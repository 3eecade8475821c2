import { once } from "node:events";
import { createSlots, type Slots } from "../../../core/ground/bounded-work.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { BuildSchedule, StillUnderWay } from "../run/build-run.ts";

export interface QueueOptions {
  /** Builds at a time, at least 1; those that are overdue not counted. */
  readonly concurrency: number;
  /** From the beginning of a round to the beginning of the next, at most. */
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Builds all tenants, each when the schedule says so. Never rejects. */
  readonly buildRound: (schedule: BuildSchedule) => Promise<void>;
  /** Builds a notified tenant. Never rejects. */
  readonly buildNotified: (tenantId: TenantId) => Promise<void>;
  /** A build takes longer than it may hold up others. */
  readonly onOverdue: (tenantId: TenantId) => void;
}

/** A build that has asked for a slot. */
interface Build {
  /** When it got one. */
  beganAt: Date | undefined;
  isOverdue: boolean;
}

/**
 * Decides which build begins when.
 *
 * P32: a tenant has one build at a time; a change that is heard of during the build gets another build after
 * it. Builds get slots in the order in which they ask. Rounds ask for all but one of several slots at a time,
 * and notified tenants for no more than there are. So a notified tenant never waits for a round, and a round
 * ends however many are notified.
 *
 * P211: nobody waits for the slowest tenant. When the interval has passed the next round begins without those
 * whose builds are still under way, and a build that is overdue gives its slot back.
 */
export class TenantQueue {
  readonly #options: QueueOptions;
  readonly #slots: Slots;
  /** What rounds may have of the slots. */
  readonly #slotsOfRounds: Slots;
  /** Overdue builds go on in these. */
  readonly #overduePlaces: Slots;
  readonly #overdueMs: number;
  /** By tenant, until a moment after the build's end. */
  readonly #builds = new Map<TenantId, Build>();
  /** Tenants whose builds have not begun. */
  readonly #waiting = { notified: new Set<TenantId>(), turn: new Set<TenantId>() };
  /** Notified tenants that have asked for a slot, or have one. */
  #asking = 0;
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the last round does not know its tenants yet. */
  #isChoosing = false;
  #isAllNotified = false;
  /** When the last round began. */
  #roundBeganMs = 0;
  /** When the next round begins if anything may have changed, and when it begins in any case. */
  #soonestRoundMs = 0;
  #nextRoundMs = 0;

  constructor(options: QueueOptions) {
    const { concurrency, intervalMs } = options;
    this.#options = options;
    this.#slots = createSlots(concurrency);
    this.#slotsOfRounds = createSlots(Math.max(1, concurrency - 1));
    this.#overduePlaces = createSlots(maxOverdue(concurrency));
    this.#overdueMs = Math.max(minOverdueMs, intervalMs);
  }

  /** The tenant changed. */
  notify(tenantId: TenantId): void {
    // P182: anybody who may connect to the database can notify, also of tenants that do not exist.
    const { notified } = this.#waiting;
    if (notified.size < maxNotified) notified.add(tenantId);
    if (notified.has(tenantId)) this.#beginNotified();
    else this.notifyAll();
  }

  /** Anything may have changed: a round is due as long after the last as that took, at least a second. */
  notifyAll(): void {
    this.#isAllNotified = true;
    this.#planRound();
  }

  /** Begins builds until the signal; resolves when those under way have ended, too. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    this.#planRound();
    if (!signal.aborted) await once(signal, "abort");
    clearTimeout(this.#timer);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** How many tenants wait for a build. */
  waiting(): number {
    return new Set([...this.#waiting.notified, ...this.#waiting.turn]).size;
  }

  /** How many tenants have a build that is overdue. */
  overdue(): number {
    return [...this.#builds.values()].filter(({ isOverdue }) => isOverdue).length;
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }

  #beginNotified(): void {
    const { concurrency, signal } = this.#options;
    for (const tenantId of this.#waiting.notified) {
      if (this.#asking >= concurrency || signal.aborted) return;
      if (this.#builds.has(tenantId)) continue;
      this.#asking += 1;
      this.#follow(this.#notifiedBuild(tenantId));
    }
  }

  async #notifiedBuild(tenantId: TenantId): Promise<void> {
    let gathered: Promise<void> | undefined;
    const { ended } = await this.#inSlot(tenantId, "notified", async () => {
      // A burst of changes makes few snapshots.
      gathered = new Promise((resolve) => setTimeout(resolve, gatherMs));
      await this.#options.buildNotified(tenantId);
    });
    this.#asking -= 1;
    this.#beginNotified();
    await ended;
    await gathered;
    this.#isDone(tenantId);
  }

  /** Resolves when the slot is free, with the build's end. After `#isDone` the tenant may have another. */
  async #inSlot(
    tenantId: TenantId,
    kind: "notified" | "turn",
    work: () => Promise<void>,
  ): Promise<{ readonly ended: Promise<void> }> {
    const build: Build = { beganAt: undefined, isOverdue: false };
    this.#builds.set(tenantId, build);
    let ended = Promise.resolve();
    // Each build sees the signal, and ends by itself.
    await this.#slots(`Building ${tenantId}`, undefined, async () => {
      build.beganAt = this.#options.now();
      this.#waitsNoLonger(tenantId, kind);
      ended = work();
      await Promise.race([ended, this.#becomesOverdue(tenantId, build, ended)]);
    });
    return { ended };
  }

  /** Resolves when the build is overdue and there is a place for it, where it stays until its end. */
  #becomesOverdue(tenantId: TenantId, build: Build, ended: Promise<void>): Promise<void> {
    const over = new AbortController();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        build.isOverdue = true;
        this.#options.onOverdue(tenantId);
        const stay = async (): Promise<void> => {
          resolve();
          await ended;
        };
        // It rejects when the build ends before there is a place.
        this.#overduePlaces(`Building ${tenantId}`, over.signal, stay).catch(() => {});
      }, this.#overdueMs);
      void ended.then(() => {
        clearTimeout(timer);
        over.abort();
      });
    });
  }

  #isDone(tenantId: TenantId): void {
    this.#builds.delete(tenantId);
    this.#beginNotified();
  }

  #waitsNoLonger(tenantId: TenantId, kind: "notified" | "turn"): void {
    this.#waiting[kind].delete(tenantId);
    if (kind === "turn") this.#planRound();
  }

  /** A round may begin when the last one has begun all that it builds. */
  #planRound(): void {
    clearTimeout(this.#timer);
    if (this.#isChoosing || this.#waiting.turn.size > 0 || this.#options.signal.aborted) return;
    const atMs = this.#isAllNotified ? Math.min(this.#soonestRoundMs, this.#nextRoundMs) : this.#nextRoundMs;
    const leftMs = Math.max(0, Math.ceil(atMs - performance.now()));
    this.#timer = setTimeout(() => this.#follow(this.#round()), leftMs);
  }

  async #round(): Promise<void> {
    const isOfAnything = this.#isAllNotified;
    this.#isAllNotified = false;
    this.#isChoosing = true;
    const beganMs = performance.now();
    this.#roundBeganMs = beganMs;
    this.#nextRoundMs = beganMs + this.#options.intervalMs;
    this.#soonestRoundMs = this.#nextRoundMs;
    await this.#options.buildRound((tenants, build) => this.#inTurns(tenants, build, isOfAnything));
    // Another one may have begun meanwhile.
    if (this.#roundBeganMs !== beganMs) return;
    this.#isChoosing = false;
    const nowMs = performance.now();
    this.#soonestRoundMs = nowMs + Math.max(minPauseMs, nowMs - beganMs);
    this.#planRound();
  }

  /** Builds the tenants that have no build yet. `isOfAnything`: the others get one more after theirs. */
  async #inTurns(
    tenants: readonly TenantId[],
    build: (tenantId: TenantId) => Promise<void>,
    isOfAnything: boolean,
  ): Promise<readonly StillUnderWay[]> {
    const stillUnderWay: StillUnderWay[] = [];
    const inTurn = async (tenantId: TenantId): Promise<{ readonly ended: Promise<void> } | undefined> => {
      const earlier = this.#builds.get(tenantId);
      if (earlier === undefined) return await this.#inSlot(tenantId, "turn", () => build(tenantId));
      const { beganAt = this.#options.now(), isOverdue } = earlier;
      stillUnderWay.push({ tenantId, since: beganAt.toISOString(), isOverdue });
      if (isOfAnything) this.#waiting.notified.add(tenantId);
      this.#waitsNoLonger(tenantId, "turn");
      return undefined;
    };
    for (const tenantId of tenants) this.#waiting.turn.add(tenantId);
    this.#isChoosing = false;
    this.#planRound();
    await Promise.all(
      tenants.map(async (tenantId) => {
        const begun = await this.#slotsOfRounds(`Building ${tenantId}`, undefined, () => inTurn(tenantId));
        if (begun === undefined) return;
        await begun.ended;
        this.#isDone(tenantId);
      }),
    );
    return stillUnderWay;
  }
}

/** As many as stop the rounds when they hold slots. With one slot none, or nothing else could go on. */
export function maxOverdue(concurrency: number): number {
  return concurrency - 1;
}

/** The shortest time after which a build is overdue. */
const minOverdueMs = 60_000;
/** The least time between the beginnings of two builds of a notified tenant. */
const gatherMs = 250;
/** The least time between a round and one that begins because anything may have changed. */
const minPauseMs = 1000;
/** The most notified tenants that may wait. One more counts as a change of everything. */
export const maxNotified = 10_000;
