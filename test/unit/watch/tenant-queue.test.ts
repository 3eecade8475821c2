import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TenantQueue } from "../../../cli/publish/watch/tenant-queue.ts";
import { parseTenantId, type TenantId } from "../../../core/ground/ids.ts";

const ids = ["a", "b", "c", "d"].map(parseTenantId);
const [a, b] = ids as [TenantId, TenantId];
const e = parseTenantId("e");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A queue whose builds end when the test says so. */
class Watched {
  readonly queue: TenantQueue;
  /** What was begun since the last look: `round`, `turn a`, `notified a`. */
  #begun: string[] = [];
  readonly #underWay = new Map<TenantId, () => void>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** The most builds that were under way at a time, and whether a tenant had two. */
  most = 0;
  hadTwo = false;
  rounds = 0;
  /** What rounds that have ended left out, and what was told as overdue. */
  readonly leftOut: string[] = [];
  readonly overdue: TenantId[] = [];

  constructor(concurrency: number, tenants: readonly TenantId[] = ids) {
    this.queue = new TenantQueue({
      concurrency,
      intervalMs: 10_000,
      signal: this.#stop.signal,
      now: () => new Date(performance.timeOrigin + performance.now()),
      buildRound: async (schedule) => {
        this.#begun.push("round");
        const leftOut = await schedule(tenants, (tenantId) => this.#build("turn", tenantId));
        this.leftOut.push(
          ...leftOut.map(({ tenantId, isOverdue }) => `${tenantId}${isOverdue ? " overdue" : ""}`),
        );
        this.rounds += 1;
      },
      buildNotified: (tenantId) => this.#build("notified", tenantId),
      onOverdue: (tenantId) => this.overdue.push(tenantId),
    });
    this.#running = this.queue.run();
  }

  async #build(kind: string, tenantId: TenantId): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#begun.push(`${kind} ${tenantId}`);
    this.hadTwo ||= this.#underWay.has(tenantId);
    const ended = new Promise<void>((resolve) => this.#underWay.set(tenantId, resolve));
    this.most = Math.max(this.most, this.#underWay.size);
    await ended;
  }

  /** What is begun in that time. */
  async after(ms: number): Promise<readonly string[]> {
    await vi.advanceTimersByTimeAsync(ms);
    const begun = this.#begun;
    this.#begun = [];
    return begun;
  }

  end(...tenants: readonly TenantId[]): void {
    for (const tenantId of tenants) {
      const end = this.#underWay.get(tenantId);
      this.#underWay.delete(tenantId);
      end?.();
    }
  }

  underWay(): readonly TenantId[] {
    return [...this.#underWay.keys()];
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.end(...this.underWay());
    await vi.advanceTimersByTimeAsync(1000);
    await this.#running;
  }
}

describe("the queue of tenants, whatever happens", () => {
  const event = fc.oneof(
    fc.record({ kind: fc.constant("notify" as const), which: fc.nat(ids.length - 1) }),
    fc.record({ kind: fc.constant("end" as const), which: fc.nat(ids.length - 1) }),
    fc.record({ kind: fc.constant("wait" as const), which: fc.nat(400) }),
  );

  test("P32: builds a tenant once at a time, and after each change that it hears of", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(event, { maxLength: 40 }),
        async (concurrency, events) => {
          const watched = new Watched(concurrency);
          const unanswered = new Set<TenantId>();
          const answered = async (ms: number): Promise<void> => {
            for (const begun of await watched.after(ms)) unanswered.delete(begun.split(" ")[1] as TenantId);
          };
          for (const { kind, which } of events) {
            const tenantId = ids[which % ids.length] as TenantId;
            if (kind === "wait") await answered(which);
            else if (kind === "end") watched.end(tenantId);
            else {
              await answered(0);
              watched.queue.notify(tenantId);
              unanswered.add(tenantId);
            }
          }
          for (let n = 0; n < 20; n += 1) {
            watched.end(...watched.underWay());
            await answered(300);
          }
          expect([...unanswered, watched.hadTwo, watched.most <= concurrency]).toEqual([false, true]);
          await watched.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([1, 2, 4])(
    "P32: with %i slots the round ends, though all are notified all the time",
    async (n) => {
      const watched = new Watched(n);
      for (let step = 0; step < 60; step += 1) {
        for (const tenantId of ids) watched.queue.notify(tenantId);
        await watched.after(300);
        watched.end(watched.underWay()[0] as TenantId);
      }
      expect(watched.rounds).toBeGreaterThan(0);
      await watched.close();
    },
  );
});

describe("the queue of tenants", () => {
  test("P32: a round leaves one slot of several free, and a notified tenant takes it at once", async () => {
    const watched = new Watched(3);
    expect(await watched.after(0)).toEqual(["round", "turn a", "turn b"]);
    watched.queue.notify(e);
    expect(await watched.after(0)).toEqual(["notified e"]);
    await watched.close();
  });

  test("P32: with one slot a notified tenant comes next, and the round after it", async () => {
    const watched = new Watched(1);
    expect(await watched.after(0)).toEqual(["round", "turn a"]);
    watched.queue.notify(e);
    watched.queue.notify(a);
    expect(await watched.after(0)).toEqual([]);
    watched.end(a);
    expect(await watched.after(0)).toEqual(["notified e"]);
    watched.end(e);
    expect(await watched.after(0)).toEqual([`turn ${b}`]);
    await watched.close();
  });

  test("the first change is built at once, and a burst behind it together", async () => {
    const watched = new Watched(2, []);
    await watched.after(100);
    watched.queue.notify(a);
    expect(await watched.after(0)).toEqual(["notified a"]);
    for (let n = 0; n < 100; n += 1) watched.queue.notify(a);
    watched.end(a);
    expect(await watched.after(249)).toEqual([]);
    expect(await watched.after(1)).toEqual(["notified a"]);
    watched.end(a);
    expect(await watched.after(5000)).toEqual([]);
    await watched.close();
  });

  test("P182: when all may have changed, a round begins a second after the last one, or as long after it as that took", async () => {
    const watched = new Watched(2, [a]);
    await watched.after(20);
    watched.queue.notifyAll();
    watched.end(a);
    expect(await watched.after(999)).toEqual([]);
    expect(await watched.after(1)).toEqual(["round", "turn a"]);
    for (let n = 0; n < 100; n += 1) watched.queue.notifyAll();
    await watched.after(3000);
    watched.end(a);
    expect(await watched.after(2999)).toEqual([]);
    // One round answers all that was heard before it began.
    expect(await watched.after(1)).toEqual(["round", "turn a"]);
    watched.end(a);
    expect(await watched.after(9999)).toEqual([]);
    // The interval goes from beginning to beginning.
    expect(await watched.after(1)).toEqual(["round", "turn a"]);
    await watched.close();
  });

  test("P182: tenants without end that nobody has heard of are not kept: they count as a change of everything", async () => {
    const watched = new Watched(1, []);
    await watched.after(0);
    watched.queue.notify(a);
    for (let n = 0; n < 20_000; n += 1) watched.queue.notify(parseTenantId(`t-${n}`));
    expect(watched.queue.waiting()).toBe(10_000);
    expect(await watched.after(1000)).toEqual(["notified a", "round"]);
    await watched.close();
  });

  describe("P211: nobody waits for the slowest tenant", () => {
    test("the next round begins when the interval has passed, without those that are under way", async () => {
      const watched = new Watched(3);
      expect(await watched.after(0)).toEqual(["round", "turn a", "turn b"]);
      watched.end(b);
      expect(await watched.after(0)).toEqual(["turn c"]);
      watched.end(parseTenantId("c"));
      expect(await watched.after(0)).toEqual(["turn d"]);
      watched.end(parseTenantId("d"));
      expect(await watched.after(9999)).toEqual([]);
      expect(await watched.after(1)).toEqual(["round", "turn b"]);
      for (const tenantId of ids.slice(1)) {
        watched.end(tenantId);
        await watched.after(0);
      }
      // The second round has ended, and the first one has not.
      expect([watched.rounds, watched.leftOut]).toEqual([1, ["a"]]);
      watched.end(a);
      await watched.after(0);
      expect(watched.rounds).toBe(2);
      await watched.close();
    });

    test("a round that has not begun all of its tenants goes on, however long it takes", async () => {
      const watched = new Watched(2);
      expect(await watched.after(0)).toEqual(["round", "turn a"]);
      expect(await watched.after(30_000)).toEqual([]);
      watched.end(a);
      expect(await watched.after(0)).toEqual(["turn b"]);
      await watched.close();
    });

    test("a build that is overdue gives its slot back, once it has a place beside the slots", async () => {
      const watched = new Watched(3);
      expect(await watched.after(0)).toEqual(["round", "turn a", "turn b"]);
      expect(await watched.after(59_999)).toEqual([]);
      expect(watched.overdue).toEqual([]);
      expect(await watched.after(1)).toEqual(["turn c", "turn d"]);
      expect(await watched.after(1)).toEqual(["round"]);
      expect([watched.overdue, watched.queue.overdue()]).toEqual([[a, b], 2]);
      // Two places beside three slots: these two stay where they are, and so do the rounds.
      expect(await watched.after(200_000)).toEqual([]);
      expect([watched.queue.overdue(), watched.most]).toEqual([4, 4]);
      watched.queue.notify(e);
      expect(await watched.after(0)).toEqual(["notified e"]);
      watched.end(a);
      expect(await watched.after(0)).toContain("turn a");
      await watched.close();
    });

    test("what ends in time is never overdue", async () => {
      const watched = new Watched(2, [a]);
      await watched.after(59_000);
      watched.end(a);
      await watched.after(5000);
      expect([watched.overdue, watched.queue.overdue()]).toEqual([[], 0]);
      await watched.close();
    });

    test("with one slot there is no place beside it", async () => {
      const watched = new Watched(1, [a, b]);
      await watched.after(100_000);
      expect([watched.overdue, watched.underWay()]).toEqual([[a], [a]]);
      await watched.close();
    });

    test("when anything may have changed, those that a round leaves out are built after their builds", async () => {
      const watched = new Watched(2, [a]);
      await watched.after(0);
      watched.queue.notifyAll();
      expect(await watched.after(10_000)).toEqual(["round"]);
      watched.end(a);
      expect(await watched.after(0)).toEqual(["notified a"]);
      watched.end(a);
      // A round of the interval needs no such build.
      expect(await watched.after(10_000)).toEqual(["round", "turn a"]);
      expect(await watched.after(10_000)).toEqual(["round"]);
      watched.end(a);
      expect(await watched.after(100)).toEqual([]);
      await watched.close();
    });
  });
});
