import { describe, expect, test } from "vitest";
import { parseTokenId, type TokenId } from "../../../core/ids.ts";
import type { Quota } from "../../../gateway/quota.ts";
import { createTokenTally } from "../../../gateway/tallies.ts";

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
    expect(ratios(tally.text(2000))).toEqual([half]);
    expect(ratios(tally.text(61_000))).toEqual([half]);
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
