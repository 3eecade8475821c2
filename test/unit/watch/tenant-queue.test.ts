import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTenantQueue, type Task, type TenantQueue } from "../../../cli/publish/watch/tenant-queue.ts";
import { parseTenantId, type TenantId } from "../../../core/ids.ts";
import { anyQueueEvent, QueueModel, queueTenants } from "../../support/queue-model.ts";

const ids = queueTenants;
const e = parseTenantId("e");

describe("the queue of tenants, whatever happens", () => {
  test("P32: builds a tenant once at a time, and after each change that it hears of", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(anyQueueEvent, { maxLength: 60 }),
        (concurrency, events) => {
          const model = new QueueModel(concurrency);
          for (const happened of events) model.do(happened);
          model.drain();
          model.expectAllAnswered();
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("P33: the round ends, even if some or all tenants are notified all the time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.subarray([0, 1, 2, 3, 4], { minLength: 1 }),
        fc.array(fc.nat(4), { minLength: 60, maxLength: 60 }),
        (concurrency, notified, choices) => {
          const model = new QueueModel(concurrency);
          model.do({ kind: "list" });
          for (const which of choices) {
            for (const tenant of notified) model.do({ kind: "notify", tenant });
            model.do({ kind: "wait", ms: 300 });
            model.do({ kind: "end", which });
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

const round: Task = { kind: "round" };
const turn = (tenantId: TenantId): Task => ({ kind: "turn", tenantId });
const notified = (tenantId: TenantId): Task => ({ kind: "notified", tenantId });

function inRound(concurrency: number, tenants: readonly TenantId[] = ids): TenantQueue {
  const queue = createTenantQueue({ concurrency, intervalMs: 10_000 });
  expect(begun(queue, 0)).toEqual([round]);
  queue.roundListed(tenants);
  return queue;
}

describe("the queue of tenants", () => {
  test("P33: a round leaves one slot of several free, and a notified tenant takes it at once", () => {
    const queue = inRound(3);
    expect(begun(queue, 0)).toEqual(ids.slice(0, 2).map(turn));
    queue.notify(e);
    expect(begun(queue, 0)).toEqual([notified(e)]);
  });

  test("P182: when all may have changed, a round begins a second after the last one, or as long after it as that took", () => {
    const queue = inRound(2, []);
    queue.notifyAll();
    expect(begun(queue, 20)).toEqual([]);
    queue.roundEnded(20);
    expect([begun(queue, 1_019), queue.wakeAtMs()]).toEqual([[], 1_020]);
    expect(begun(queue, 1_020)).toEqual([round]);
    queue.roundListed([]);
    queue.roundEnded(3_020);
    for (let n = 0; n < 100; n += 1) queue.notifyAll();
    expect([begun(queue, 5_019), queue.wakeAtMs()]).toEqual([[], 5_020]);
    expect(begun(queue, 5_020)).toEqual([round]);
    // One round answers all that was heard before it began.
    queue.roundListed([]);
    queue.roundEnded(5_030);
    expect([begun(queue, 9_000), queue.wakeAtMs()]).toEqual([[], 15_020]);
    // The interval does not wait.
    queue.notifyAll();
    expect(begun(queue, 15_020)).toEqual([round]);
  });

  test("P182: tenants without end that nobody has heard of are not kept: they count as a change of everything", () => {
    const queue = inRound(1, []);
    queue.roundEnded(0);
    for (let n = 0; n < 20_000; n += 1) queue.notify(parseTenantId(`t-${n}`));
    expect(queue.waiting()).toBe(10_000);
    expect(begun(queue, 1_000)).toEqual([round, notified(parseTenantId("t-0"))]);
  });
});
