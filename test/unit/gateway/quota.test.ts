import fc from "fast-check";
import { expect, test } from "vitest";
import { createProcessCounter, quota } from "../../../gateway/quota.ts";

test("W50 the seconds until the window ends are rounded up, at least 1 and at most the window", () => {
  const seconds = (msBeforeNext: number): number =>
    quota({ consumedPoints: 1, msBeforeNext }, 3, 60).resetSeconds;
  expect([-5, 0, 1, 999, 1000, 1001, 59_001, 60_000, 61_000].map(seconds)).toEqual([
    1, 1, 1, 1, 1, 2, 60, 60, 60,
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60_000 }), (ms) => {
      expect(seconds(ms) * 1000).toBeGreaterThanOrEqual(ms);
      expect(Number.isInteger(seconds(ms))).toBe(true);
    }),
  );
});

test("W50 a key's window begins with its first hit and ends a window later, whatever other keys do", () => {
  const hits = fc.array(fc.record({ key: fc.constantFrom("a", "b", "c"), afterMs: fc.nat({ max: 2500 }) }));
  fc.assert(
    fc.property(hits, (sequence) => {
      let nowMs = 0;
      const counter = createProcessCounter(1, () => nowMs);
      const began = new Map<string, { atMs: number; count: number }>();
      for (const { key, afterMs } of sequence) {
        nowMs += afterMs;
        const open = began.get(key);
        const window = open && nowMs < open.atMs + 1000 ? open : { atMs: nowMs, count: 0 };
        began.set(key, window);
        window.count += 1;
        const expected = { consumedPoints: window.count, msBeforeNext: window.atMs + 1000 - nowMs };
        expect(counter.hit(key)).toEqual(expected);
      }
    }),
  );
});
