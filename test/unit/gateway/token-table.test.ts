import { expect, test } from "vitest";
import { tokenTable } from "../../../gateway/token-table.ts";
import { issueToken, revoked } from "../../support/gateway-tokens.ts";

test("a token is found by its digest, with its own limit or the general one", () => {
  const own = issueToken("acme", { rateLimit: 7 });
  const general = issueToken("acme");
  const table = tokenTable({ revision: 1, tokens: [own.entry, general.entry] }, 600);
  expect(table.get(own.entry.sha256)?.limit).toBe(7);
  expect(table.get(general.entry.sha256)?.limit).toBe(600);
  expect(table.size).toBe(2);
});

test("the scope is exactly programs.read", () => {
  for (const [scopes, mayRead] of [
    [["programs.read"], true],
    [["other", "programs.read"], true],
    [[], false],
    [["programs.read.all"], false],
    [["programs"], false],
  ] as const) {
    const token = issueToken("acme", { scopes });
    expect(tokenTable({ revision: 1, tokens: [token.entry] }, 1).get(token.entry.sha256)?.mayRead).toBe(
      mayRead,
    );
  }
});

test("a revoked token stays known as revoked, and no expiry is an infinite one", () => {
  const token = revoked(issueToken("acme"));
  const known = tokenTable({ revision: 1, tokens: [token.entry] }, 1).get(token.entry.sha256);
  expect(known).toMatchObject({ isRevoked: true, expiresAtMs: Number.POSITIVE_INFINITY });
});
