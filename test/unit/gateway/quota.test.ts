import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTokenId, type TokenId } from "../../../core/ground/ids.ts";
import { createTokenTally } from "../../../gateway/beside/tallies.ts";
import { createProcessCounter, type Quota, quota } from "../../../gateway/request/quota.ts";

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

const counted = (text: string): string[] =>
  text
    .trimEnd()
    .split("\n")
    .filter((line) => !line.startsWith("#"));
const tokenId = (number: number): TokenId => parseTokenId(`tok_000000000000000${number}`);

test("beyond a number of tokens the further ones share a count, and no token ever changes its own", () => {
  const tally = createTokenTally(2);
  for (const number of [1, 2, 3, 4, 1, 3]) tally.add(tokenId(number), 200, undefined, 0);
  expect(counted(tally.text(0))).toEqual([
    'gateway_token_requests_total{token="tok_0000000000000001",status="2xx"} 2',
    'gateway_token_requests_total{token="tok_0000000000000002",status="2xx"} 1',
    'gateway_token_requests_total{token="other",status="2xx"} 3',
  ]);
});

describe("how much of its quota a token has used", () => {
  const used = (remaining: number): Quota => ({ limit: 10, remaining, resetSeconds: 60, isExceeded: false });
  const ratios = (text: string): string[] =>
    text.split("\n").filter((line) => line.startsWith("gateway_token_quota_used_ratio"));

  test("is the most of the last two minutes, however short the window and however often it is asked for", () => {
    const tally = createTokenTally();
    tally.add(tokenId(1), 200, used(5), 0);
    tally.add(tokenId(1), 200, used(1), 1000);
    tally.add(tokenId(1), 200, used(9), 2000);
    const half = 'gateway_token_quota_used_ratio{token="tok_0000000000000001"} 0.9';
    expect([ratios(tally.text(2000)), ratios(tally.text(61_000))]).toEqual([[half], [half]]);
    tally.add(tokenId(1), 200, used(8), 70_000);
    expect(ratios(tally.text(70_000))).toEqual([half]);
    tally.add(tokenId(1), 200, used(8), 130_000);
    expect(ratios(tally.text(130_000))).toEqual([
      'gateway_token_quota_used_ratio{token="tok_0000000000000001"} 0.2',
    ]);
    expect(ratios(tally.text(250_000))).toEqual([]);
  });

  test("is told of the hundred tokens that have used the most", () => {
    const tally = createTokenTally();
    for (let n = 0; n < 150; n += 1) {
      const id = parseTokenId(`tok_0000000000000${String(n).padStart(3, "0")}`);
      tally.add(id, 200, { limit: 1000, remaining: 999 - n, resetSeconds: 60, isExceeded: false }, 0);
    }
    const told = ratios(tally.text(0));
    expect(told).toHaveLength(100);
    expect(told[0]).toBe('gateway_token_quota_used_ratio{token="tok_0000000000000149"} 0.15');
  });
});
