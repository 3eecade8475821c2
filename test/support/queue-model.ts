import fc from "fast-check";
import { expect } from "vitest";
import { createTenantQueue, type Task, type TenantQueue } from "../../cli/publish/watch/tenant-queue.ts";
import { parseTenantId, type TenantId } from "../../core/ids.ts";

/** The tenants of the source. */
export const queueTenants: readonly TenantId[] = ["a", "b", "c", "d", "e"].map(parseTenantId);

/** What may happen to a queue; indexes choose among what there is. */
export type QueueEvent =
  | { readonly kind: "notify"; readonly tenant: number }
  | { readonly kind: "notifyAll" }
  | { readonly kind: "list" }
  | { readonly kind: "end"; readonly which: number }
  | { readonly kind: "wait"; readonly ms: number };

export const anyQueueEvent: fc.Arbitrary<QueueEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("notify" as const), tenant: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "notifyAll" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "list" as const }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("end" as const), which: fc.nat(4) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 400 }) }),
  },
);

/** Does what the queue says as the adapters would, and holds each step against the laws. */
export class QueueModel {
  readonly #queue: TenantQueue;
  readonly #concurrency: number;
  #nowMs = 0;
  /** Counts events: the order in which things happened. */
  #step = 0;
  /** Tenant → which kind of task began its build. */
  readonly #building = new Map<TenantId, "notified" | "turn">();
  #isListing = false;
  #roundLeft: Set<TenantId> | undefined;
  rounds = 0;
  /** Tenant → the step at which it was notified last. */
  readonly #notified = new Map<TenantId, number>();
  #allNotified = 0;
  readonly #lastBegan = new Map<TenantId, number>();

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
    this.#queue = createTenantQueue({ concurrency, intervalMs: 1_000_000 });
    this.#look();
  }

  do(happened: QueueEvent): void {
    this.#step += 1;
    switch (happened.kind) {
      case "notify": {
        const tenantId = chosen(queueTenants, happened.tenant);
        this.#notified.set(tenantId, this.#step);
        this.#queue.notify(tenantId);
        break;
      }
      case "notifyAll":
        this.#allNotified = this.#step;
        this.#queue.notifyAll();
        break;
      case "list":
        this.#list();
        break;
      case "wait":
        this.#nowMs += happened.ms;
        break;
      case "end":
        this.#end(happened.which);
    }
    this.#look();
  }

  #list(): void {
    if (!this.#isListing) return;
    this.#isListing = false;
    this.#roundLeft = new Set(queueTenants);
    this.#queue.roundListed(queueTenants);
  }

  #end(which: number): void {
    const [tenantId, kind] = [...this.#building][which % Math.max(1, this.#building.size)] ?? [];
    if (tenantId === undefined) return;
    this.#building.delete(tenantId);
    this.#queue.ended(tenantId);
    if (kind === "turn") this.#roundLeft?.delete(tenantId);
    if (this.#roundLeft?.size === 0) {
      this.#roundLeft = undefined;
      this.rounds += 1;
      this.#queue.roundEnded(this.#nowMs);
    }
  }

  /** Everything that is under way ends, until nothing is left to do but a round in the far future. */
  drain(): void {
    for (let steps = 0; steps < 1000; steps += 1) {
      this.#step += 1;
      this.#list();
      this.#end(0);
      this.#look();
      const isAtRest = this.#building.size === 0 && !this.#isListing && this.#roundLeft === undefined;
      if (isAtRest && this.#queue.waiting() === 0 && this.#queue.wakeAtMs() > this.#nowMs + 500_000) return;
      this.#nowMs = Math.max(this.#nowMs, Math.min(this.#queue.wakeAtMs(), this.#nowMs + 1000));
      this.#look();
    }
    throw new Error("the queue never comes to rest");
  }

  expectAllAnswered(): void {
    for (const tenantId of queueTenants) {
      const last = Math.max(this.#notified.get(tenantId) ?? 0, this.#allNotified);
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
    const { kind, tenantId } = task;
    expect(this.#building.get(tenantId), `${tenantId} is built once at a time`).toBeUndefined();
    if (kind === "turn") expect(this.#roundLeft).toContain(tenantId);
    this.#building.set(tenantId, kind);
    this.#lastBegan.set(tenantId, this.#step);
    expect(this.#building.size).toBeLessThanOrEqual(this.#concurrency);
  }
}

function chosen<Value>(values: readonly Value[], index: number): Value {
  const value = values[index];
  if (value === undefined) throw new RangeError(`there is no ${index} of ${values.length}`);
  return value;
}
