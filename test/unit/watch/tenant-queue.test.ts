import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTenantQueue, type Task, type TenantQueue } from "../../../cli/watch/tenant-queue.ts";
import { parseTenantId, type TenantId } from "../../../core/ids.ts";

const ids = ["a", "b", "c", "d", "e"].map(parseTenantId);
const [a, b] = ids as [TenantId, TenantId];

/** What may happen to a queue; indexes choose among what there is. */
type Event =
  | { readonly kind: "tell"; readonly tenant: number; readonly program: string | undefined }
  | { readonly kind: "tellAll" }
  | { readonly kind: "list" }
  | { readonly kind: "end"; readonly which: number; readonly isLive: boolean }
  | { readonly kind: "taken"; readonly which: number }
  | { readonly kind: "wait"; readonly ms: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("tell" as const),
      tenant: fc.nat(4),
      program: fc.option(fc.constantFrom("p", "q", "r"), { nil: undefined, freq: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "tellAll" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "list" as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      which: fc.nat(4),
      isLive: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("taken" as const), which: fc.nat(4) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 400 }) }),
  },
);

interface Told {
  readonly at: number;
  readonly program: string | undefined;
}

/** Does what the queue says as the adapters would, and holds each step against the laws. */
class Model {
  readonly #queue: TenantQueue;
  readonly #concurrency: number;
  #nowMs = 0;
  /** Counts events: the order in which things happened. */
  #step = 0;
  /** Tenant → when its build began, and by which kind of task; `isParked`: it gave its slot back. */
  readonly building = new Map<
    TenantId,
    { readonly began: number; readonly kind: string; isParked: boolean }
  >();
  #isListing = false;
  #roundLeft: Set<TenantId> | undefined;
  rounds = 0;
  readonly #told = new Map<TenantId, Told[]>();
  /** When the last build began that went live; changes since are not in the live snapshot. */
  readonly #liveSince = new Map<TenantId, number>();
  readonly #lastBegan = new Map<TenantId, number>();
  #lostAt = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
    this.#queue = createTenantQueue({ concurrency, intervalMs: 1_000_000 });
    this.#look();
  }

  do(happened: Event): void {
    this.#step += 1;
    switch (happened.kind) {
      case "tell":
        this.tell(ids[happened.tenant] ?? a, happened.program);
        break;
      case "tellAll":
        this.#lostAt = this.#step;
        this.#queue.tellAll();
        break;
      case "list":
        this.list();
        break;
      case "wait":
        this.#nowMs += happened.ms;
        break;
      case "end":
        this.end(this.#chosen(happened.which), happened.isLive);
        break;
      case "taken": {
        const tenantId = this.#chosen(happened.which);
        const build = tenantId === undefined ? undefined : this.building.get(tenantId);
        if (tenantId === undefined || build === undefined) break;
        build.isParked = true;
        this.#queue.taken(tenantId, this.#nowMs);
      }
    }
    this.#look();
  }

  tell(tenantId: TenantId, program: string | undefined): void {
    this.#told.set(tenantId, [...(this.#told.get(tenantId) ?? []), { at: this.#step, program }]);
    this.#queue.tell(tenantId, program);
  }

  list(): void {
    if (!this.#isListing) return;
    this.#isListing = false;
    this.#roundLeft = new Set(ids);
    this.#queue.roundListed(ids);
  }

  end(tenantId: TenantId | undefined, isLive: boolean): void {
    const build = tenantId === undefined ? undefined : this.building.get(tenantId);
    if (tenantId === undefined || build === undefined) return;
    this.building.delete(tenantId);
    if (isLive) this.#liveSince.set(tenantId, build.began);
    this.#queue.ended(tenantId, isLive);
    if (build.kind === "turn") this.#roundLeft?.delete(tenantId);
    if (this.#roundLeft?.size === 0) {
      this.#roundLeft = undefined;
      this.rounds += 1;
      this.#queue.roundEnded();
    }
  }

  /** Everything that is under way ends, until nothing is left to do but a round in the far future. */
  drain(): void {
    for (let steps = 0; steps < 1000; steps += 1) {
      this.#step += 1;
      this.list();
      this.end(this.#chosen(0), true);
      this.#nowMs = Math.max(this.#nowMs, Math.min(this.#queue.wakeAtMs(), this.#nowMs + 1000));
      this.#look();
      if (this.building.size === 0 && !this.#isListing && this.#roundLeft === undefined) {
        if (this.#queue.waiting() === 0) return;
      }
    }
    throw new Error("the queue never comes to rest");
  }

  expectAllAnswered(): void {
    for (const [tenantId, changes] of this.#told) {
      const last = changes.at(-1)?.at ?? 0;
      expect(
        this.#lastBegan.get(tenantId) ?? -1,
        `a build of ${tenantId} after step ${last}`,
      ).toBeGreaterThan(last);
    }
  }

  #look(): void {
    for (let task = this.#queue.next(this.#nowMs); task !== undefined; task = this.#queue.next(this.#nowMs)) {
      this.#step += 1;
      this.#begin(task);
    }
    expect(this.#queue.wakeAtMs(), "it would be asked without end").toBeGreaterThan(this.#nowMs);
  }

  #begin(task: Task): void {
    if (task.kind === "round") {
      expect([this.#isListing, this.#roundLeft], "one round at a time").toEqual([false, undefined]);
      this.#isListing = true;
      return;
    }
    const { tenantId } = task;
    const known = this.building.get(tenantId);
    if (task.kind === "again") {
      expect(known?.isParked, "only a parked build goes on").toBe(true);
      if (known !== undefined) known.isParked = false;
    } else {
      expect(known, `${tenantId} is built once at a time`).toBeUndefined();
      if (task.kind === "turn") expect(this.#roundLeft).toContain(tenantId);
      else this.#expectTrue(tenantId, task.hintedPrograms);
      this.building.set(tenantId, { began: this.#step, kind: task.kind, isParked: false });
      this.#lastBegan.set(tenantId, this.#step);
    }
    const running = [...this.building.values()].filter(({ isParked }) => !isParked);
    expect(running.length).toBeLessThanOrEqual(this.#concurrency);
  }

  /** A hint names whatever changed since the live snapshot was built, and nothing was lost since. */
  #expectTrue(tenantId: TenantId, hinted: ReadonlySet<string> | undefined): void {
    if (hinted === undefined) return;
    const since = this.#liveSince.get(tenantId);
    expect(since, "hinted before anything was built").toBeDefined();
    expect(this.#lostAt, "hinted though changes were lost").toBeLessThan(since ?? 0);
    for (const { at, program } of this.#told.get(tenantId) ?? []) {
      if (at < (since ?? 0)) continue;
      expect(hinted, `step ${at}`).toContain(program);
    }
  }

  #chosen(which: number): TenantId | undefined {
    const running = [...this.building].filter(([, { isParked }]) => !isParked).map(([id]) => id);
    return running[which % Math.max(1, running.length)];
  }
}

describe("the queue of tenants, whatever happens", () => {
  test("P32: builds a tenant once at a time, each told change after it was told, and P34: hints at what is true only", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(event, { maxLength: 60 }),
        (concurrency, events) => {
          const model = new Model(concurrency);
          for (const happened of events) model.do(happened);
          model.drain();
          model.expectAllAnswered();
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("P33: the round ends, even if some or all tenants are told all the time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.subarray([0, 1, 2, 3, 4], { minLength: 1 }),
        fc.array(fc.nat(4), { minLength: 150, maxLength: 150 }),
        (concurrency, told, choices) => {
          const model = new Model(concurrency);
          model.do({ kind: "list" });
          for (const which of choices) {
            for (const tenant of told) model.do({ kind: "tell", tenant, program: "p" });
            model.do({ kind: "wait", ms: 300 });
            model.do({ kind: "end", which, isLive: true });
          }
          expect(model.rounds).toBeGreaterThan(0);
        },
      ),
      { numRuns: 20 },
    );
  });
});

function begun(queue: TenantQueue, nowMs: number): readonly Task[] {
  const tasks: Task[] = [];
  for (let task = queue.next(nowMs); task !== undefined; task = queue.next(nowMs)) tasks.push(task);
  return tasks;
}

const turn = (tenantId: TenantId): Task => ({ kind: "turn", tenantId });
const told = (tenantId: TenantId, ...programs: readonly string[]): Task => ({
  kind: "told",
  tenantId,
  hintedPrograms: programs.length === 0 ? undefined : new Set(programs),
});

function inRound(concurrency: number, tenants: readonly TenantId[] = ids): TenantQueue {
  const queue = createTenantQueue({ concurrency, intervalMs: 10_000 });
  expect(begun(queue, 0)).toEqual([{ kind: "round" }]);
  queue.roundListed(tenants);
  return queue;
}

describe("the queue of tenants", () => {
  test("P33: a round leaves one slot of several free, and a told tenant takes it at once", () => {
    const queue = inRound(3);
    expect(begun(queue, 0)).toEqual(ids.slice(0, 2).map(turn));
    queue.tell(parseTenantId("e"), undefined);
    expect(begun(queue, 0)).toEqual([told(parseTenantId("e"))]);
  });

  test("P33: with one slot a told tenant comes next", () => {
    const queue = inRound(1);
    expect(begun(queue, 0)).toEqual([turn(a)]);
    queue.tell(parseTenantId("e"), undefined);
    expect(begun(queue, 0)).toEqual([]);
    queue.ended(a, true);
    expect(begun(queue, 0)).toEqual([told(parseTenantId("e"))]);
  });

  test("the first change is built at once, and a burst behind it together", () => {
    const queue = inRound(2, []);
    queue.roundEnded();
    queue.tell(a, undefined);
    expect(begun(queue, 100)).toEqual([told(a)]);
    for (let n = 0; n < 100; n += 1) queue.tell(a, undefined);
    queue.ended(a, true);
    expect(begun(queue, 110)).toEqual([]);
    expect(begun(queue, queue.wakeAtMs())).toEqual([told(a)]);
    queue.ended(a, true);
    expect(begun(queue, 9000)).toEqual([]);
  });

  test("a round is due when everything may have changed, and at least every interval", () => {
    const queue = inRound(2, []);
    queue.roundEnded();
    expect([begun(queue, 9_999), queue.wakeAtMs()]).toEqual([[], 10_000]);
    expect(begun(queue, 10_000)).toEqual([{ kind: "round" }]);
    queue.tellAll();
    queue.roundListed([]);
    expect(begun(queue, 10_001)).toEqual([]);
    queue.roundEnded();
    expect(begun(queue, 10_002)).toEqual([{ kind: "round" }]);
  });

  test("a tenant that another builder has takes no slot, and is tried again", () => {
    const queue = inRound(1, [a, b]);
    expect(begun(queue, 0)).toEqual([turn(a)]);
    queue.taken(a, 0);
    expect(begun(queue, 0)).toEqual([turn(b)]);
    queue.ended(b, true);
    expect([begun(queue, 1), queue.wakeAtMs()]).toEqual([[], 500]);
    expect(begun(queue, 500)).toEqual([{ kind: "again", tenantId: a }]);
  });

  test("P34: programs told of one tenant gather, and are forgotten where something else may have changed", () => {
    const queue = inRound(4, [a]);
    expect(begun(queue, 0)).toEqual([turn(a)]);
    queue.ended(a, true);
    queue.roundEnded();
    const next = (nowMs: number): readonly Task[] => {
      const tasks = begun(queue, nowMs);
      queue.ended(a, true);
      return tasks;
    };
    queue.tell(a, "p");
    queue.tell(a, "q");
    expect(next(1000)).toEqual([told(a, "p", "q")]);
    queue.tell(a, "p");
    queue.tell(a, undefined);
    expect(next(2000)).toEqual([told(a)]);
    queue.tell(a, "p");
    expect(begun(queue, 3000)).toEqual([told(a, "p")]);
    queue.ended(a, false);
    queue.tell(a, "q");
    expect(next(4000)).toEqual([told(a)]);
    for (let n = 0; n <= 1000; n += 1) queue.tell(a, `p-${n}`);
    expect(next(5000)).toEqual([told(a)]);
  });

  test("tenants without end that nobody has heard of are not kept: they count as a change of everything", () => {
    const queue = inRound(1, []);
    queue.roundEnded();
    for (let n = 0; n < 20_000; n += 1) queue.tell(parseTenantId(`t-${n}`), undefined);
    expect(queue.waiting()).toBe(10_000);
    expect(begun(queue, 1)).toEqual([{ kind: "round" }, told(parseTenantId("t-0"))]);
  });
});
