import { expect, test } from "vitest";
import type { RegisteredToken } from "../../../core/documents/token-registry.ts";
import { parseTokenId } from "../../../core/ground/ids.ts";
import {
  expiringTokens,
  type TokenTable,
  tokenCounts,
  tokenTable,
} from "../../../gateway/known/token-directory.ts";
import { issueToken, revoked } from "../../support/gateway-tokens.ts";

function tableOf(tokens: readonly RegisteredToken[], defaultLimit = 600): TokenTable {
  return tokenTable({ revision: 1, tokens }, defaultLimit);
}

test("W34 the scope is exactly programs.read", () => {
  for (const [scopes, mayRead] of [
    [["programs.read"], true],
    [["other", "programs.read"], true],
    [[], false],
    [["programs.read.all"], false],
    [["programs"], false],
  ] as const) {
    const { entry } = issueToken("acme", { scopes });
    expect(tableOf([entry]).get(entry.sha256)?.mayRead).toBe(mayRead);
  }
});

test("tokens are counted by what they are at that time", () => {
  const expiresAt = new Date(1000).toISOString();
  const table = tableOf([
    issueToken("acme").entry,
    issueToken("acme", { expiresAt }).entry,
    revoked(issueToken("acme", { expiresAt })).entry,
  ]);
  expect(tokenCounts(table, 999)).toEqual({ valid: 2, expired: 0, revoked: 1 });
  expect(tokenCounts(table, 1000)).toEqual({ valid: 1, expired: 1, revoked: 1 });
});

test("of many tokens those that expire first are named, the soonest first, and no expired or revoked one", () => {
  const expiring = (number: number, atMs: number): RegisteredToken => ({
    ...issueToken("acme", { expiresAt: new Date(atMs).toISOString() }).entry,
    tokenId: parseTokenId(`tok_${String(number).padStart(16, "0")}`),
  });
  const table = tableOf([
    ...Array.from({ length: 500 }, (_, n) => expiring(n, 1000 + ((n * 7919) % 500))),
    expiring(900, 999),
    expiring(901, 1000),
    { ...expiring(902, 1001), revokedAt: "2026-01-01T00:00:00Z" },
    issueToken("acme").entry,
  ]);
  const named = expiringTokens(table, 1000).map(({ expiresAtMs }) => expiresAtMs);
  expect(named).toEqual(Array.from({ length: 100 }, (_, n) => 1001 + n));
});
