import { expect, test } from "vitest";
import { parseTenantId, parseTokenId } from "../../../core/ids.ts";
import type { TokenDigest } from "../../../core/token.ts";
import { expiringTokens } from "../../../gateway/expiring-tokens.ts";
import type { KnownToken } from "../../../gateway/token-table.ts";

function known(number: number, expiresAtMs: number, isRevoked = false): readonly [TokenDigest, KnownToken] {
  const tokenId = parseTokenId(`tok_${String(number).padStart(16, "0")}`);
  const tenantId = parseTenantId("alpine-walks");
  const digest = String(number) as TokenDigest;
  return [digest, { tokenId, tenantId, limit: 1, mayRead: true, isRevoked, expiresAtMs }];
}

test("of many tokens those that expire first are told, the soonest first, and no expired or revoked one", () => {
  const tokens = Array.from({ length: 500 }, (_, n) => known(n, 1000 + ((n * 7919) % 500)));
  const table = new Map([
    ...tokens,
    known(900, 999),
    known(901, 1000),
    known(902, 1001, true),
    known(903, Number.POSITIVE_INFINITY),
  ]);
  const told = expiringTokens(table, 1000).map(({ expiresAtMs }) => expiresAtMs);
  expect(told).toEqual(Array.from({ length: 100 }, (_, n) => 1001 + n));
});

test("a token without an end is never told", () => {
  expect(expiringTokens(new Map([known(1, Number.POSITIVE_INFINITY)]), 0)).toEqual([]);
});
