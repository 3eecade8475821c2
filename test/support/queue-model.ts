import fc from "fast-check";
import { expect } from "vitest";
import { createTenantQueue, type Task, type TenantQueue } from "../../cli/publish/watch/tenant-queue.ts";
import { parseTenantId, type TenantId } from "../../core/ids.ts";

/** The tenants of the source. */
export const queueTenants: readonly TenantId[] = ["a", "b", "c", "d", "e"].map(parseTenantId);

/** What may happen to a queue; indexes choose among what there is. */
export type QueueEvent =
  | { readonly kind: "tell"; readonly tenant: number; readonly program: string | undefined }
  | { readonly kind: "tellAll" | "tellVaguely" }
  | { readonly kind: "list" }
  | { readonly kind: "end"; readonly which: number; readonly isLive: boolean }
  | { readonly kind: "taken"; readonly which: number }
  | { readonly kind: "wait"; readonly ms: number };

export const anyQueueEvent: fc.Arbitrary<QueueEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("tell" as const),
      tenant: fc.nat(4),
      program: fc.option(fc.constantFrom("p", "q", "r"), { nil: undefined, freq: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ kind: "tellAll" as const }, { kind: "tellVaguely" as const }) },
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
export class QueueModel {
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

  do(happened: QueueEvent): void {
    this.#step += 1;
    switch (happened.kind) {
      case "tell":
        this.tell(chosen(queueTenants, happened.tenant), happened.program);
        break;
      case "tellAll":
      case "tellVaguely":
        this.#lostAt = this.#step;
        this.#queue[happened.kind]();
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
    this.#roundLeft = new Set(queueTenants);
    this.#queue.roundListed(queueTenants);
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

function chosen<Value>(values: readonly Value[], index: number): Value {
  const value = values[index];
  if (value === undefined) throw new RangeError(`there is no ${index} of ${values.length}`);
  return value;
}
