import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTenantQueue, type Task, type TenantQueue } from "../../../cli/publish/watch/tenant-queue.ts";
import { parseTenantId, type TenantId } from "../../../core/ids.ts";
import { anyQueueEvent, QueueModel, queueTenants } from "../../support/queue-model.ts";

const ids = queueTenants;
const [a, b] = ids as [TenantId, TenantId];

describe("the queue of tenants, whatever happens", () => {
  test("P32: builds a tenant once at a time, each told change after it was told, and P34: hints at what is true only", () => {
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

  test("P33: the round ends, even if some or all tenants are told all the time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.subarray([0, 1, 2, 3, 4], { minLength: 1 }),
        fc.array(fc.nat(4), { minLength: 150, maxLength: 150 }),
        (concurrency, told, choices) => {
          const model = new QueueModel(concurrency);
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

  test("P182: what is told vaguely, however often, makes one round an interval", () => {
    const queue = inRound(2, []);
    queue.roundEnded();
    let rounds = 0;
    for (let nowMs = 1; nowMs < 10_000; nowMs += 10) {
      queue.tellVaguely();
      for (const { kind } of begun(queue, nowMs)) if (kind === "round") rounds += 1;
      queue.roundListed([]);
      queue.roundEnded();
    }
    expect(rounds).toBe(1);
    // The next one is not forgotten, and a round for another reason answers it, too.
    expect(queue.wakeAtMs()).toBeLessThanOrEqual(10_001);
    expect(begun(queue, 10_001)).toEqual([{ kind: "round" }]);
    queue.roundListed([]);
    queue.roundEnded();
    queue.tellVaguely();
    queue.tellAll();
    expect(begun(queue, 10_002)).toEqual([{ kind: "round" }]);
    queue.roundListed([]);
    queue.roundEnded();
    expect(begun(queue, 10_003)).toEqual([]);
  });

  test("P182: more tenants than there can be make one round an interval, too", () => {
    const queue = inRound(1, [a]);
    begun(queue, 0);
    queue.roundEnded();
    let rounds = 0;
    for (let at = 0; at < 12_000; at += 1) {
      queue.tell(parseTenantId(`junk-${at}`), undefined);
      for (const { kind } of begun(queue, 1)) if (kind === "round") rounds += 1;
      queue.roundListed([]);
      queue.roundEnded();
    }
    expect(rounds).toBe(1);
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
