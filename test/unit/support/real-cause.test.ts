import { describe, expect, test } from "vitest";
import { tokenFinding } from "../../../cli/support/facts/registry.ts";
import { judged, reading, tenantId, token, tokenId } from "../../support/judged-requests.ts";
import { newSnapshot } from "../../support/program-facts.ts";

describe("the cause of", () => {
  test.each([
    [100, 100, / 100 in .* \(the access key's own limit\)/],
    [600, null, / 600 in .* \(the limit of all, RATE_LIMIT_REQUESTS\)/],
  ])("a 429 is the limit of %d, with whose it is", (limit, rateLimit, text) => {
    const limited = tokenFinding(reading(token(1, { rateLimit })), tokenId(1));
    expect(judged({ status: 429, limit }, { token: limited }).summary).toMatch(text);
  });

  test.each([
    ["not_found", "snapshot build --tenant acme", "Nothing was published then"],
    ["registry_unconfirmed", "token list", "confirm which access keys"],
    ["corrupt_document", "snapshot verify --tenant acme", "file was damaged"],
    ["store_unavailable", "store check", "did not answer"],
    ["store_denied", "store check", "or refused"],
    ["internal", "snapshot status --tenant acme", "nobody expected"],
    [null, "store check", "nobody expected"],
  ])("a 500 is said in plain words, with the remedy for its code %s", (causeCode, command, words) => {
    const { summary, next } = judged({ status: 500, causeCode, cause: "tenants/x: 8 bytes.", tenantId });
    expect(summary).toContain(words);
    expect(summary).toContain("Technical detail below.");
    expect(next.commands).toContain(command);
    expect(next.steps[0]).toMatchObject({ who: "support", text: expect.stringContaining("Escalate") });
  });

  const served = { tenantId, snapshotId: newSnapshot.snapshotId, route: "legacy" };

  test("a request of the past says what became of its access key since", () => {
    const snapshot = { kind: "kept", programs: 3 } as const;
    const since = (fields: Parameters<typeof token>[1]) =>
      judged(
        { ...served, tokenId: tokenId(1) },
        { snapshot, token: tokenFinding(reading(token(1, fields)), tokenId(1)) },
      ).summary;
    expect(since({})).not.toContain("Since then");
    expect(since({ revokedAt: "2026-11-21T12:00:30.000Z" })).toMatch(/Since then .* was revoked/);
    expect(since({ expiresAt: "2026-11-21T12:00:30.000Z" })).toMatch(/Since then .* expired/);
    const gone = token(1, { scopes: ["other.read"], revokedAt: "2026-11-21T12:00:30.000Z" });
    const { next } = judged({ status: 403 }, { token: tokenFinding(reading(gone), tokenId(1)) });
    expect(next.commands).toEqual(["token create --tenant acme"]);
  });
});
