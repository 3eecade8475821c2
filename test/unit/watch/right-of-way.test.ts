import { afterEach, expect, test, vi } from "vitest";
import { createRightOfWay } from "../../../cli/publish/run/patience.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Whether the round may go on at once. */
async function isFree(way: { give(): Promise<void> }): Promise<boolean> {
  let isGiven = false;
  void way.give().then(() => {
    isGiven = true;
  });
  await new Promise(setImmediate);
  return isGiven;
}

test("P33: a round waits for all told builds that go on, and no longer", async () => {
  const way = createRightOfWay(60_000, () => 0);
  expect(await isFree(way)).toBe(true);
  const [first, second] = [way.take(), way.take()];
  const given = way.give();
  first();
  expect(await isFree(way)).toBe(false);
  second();
  await given;
  expect(await isFree(way)).toBe(true);
});

test("P33: a round has half of the time, however long told builds take", async () => {
  // A deadline that comes true by itself would let the round go on before the clock says so.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let nowMs = 0;
  const way = createRightOfWay(100, () => nowMs);
  way.take();
  const free: number[] = [];
  for (nowMs = 0; nowMs < 400; nowMs += 10) if (await isFree(way)) free.push(nowMs);
  expect(free.slice(0, 2)).toEqual([100, 110]);
  expect(free.length).toBeGreaterThanOrEqual(18);
  expect(free.length).toBeLessThanOrEqual(22);
});

test("P33: a round that stands still gets on by itself", async () => {
  const way = createRightOfWay(1, () => 0);
  way.take();
  await way.give();
});
