import { expect, test } from "vitest";
import { knownToken } from "../../../gateway/token-table.ts";
import { issueToken, revoked } from "../../support/gateway-tokens.ts";

test("a token has its own limit or the general one", () => {
  expect(knownToken(issueToken("acme", { rateLimit: 7 }).entry, 600).limit).toBe(7);
  expect(knownToken(issueToken("acme").entry, 600).limit).toBe(600);
});

test("W34 the scope is exactly programs.read", () => {
  for (const [scopes, mayRead] of [
    [["programs.read"], true],
    [["other", "programs.read"], true],
    [[], false],
    [["programs.read.all"], false],
    [["programs"], false],
  ] as const) {
    expect(knownToken(issueToken("acme", { scopes }).entry, 1).mayRead).toBe(mayRead);
  }
});

test("T7 a revoked token stays known as revoked, and no expiry is an infinite one", () => {
  const known = knownToken(revoked(issueToken("acme")).entry, 1);
  expect(known).toMatchObject({ isRevoked: true, expiresAtMs: Number.POSITIVE_INFINITY });
});
