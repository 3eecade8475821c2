import { describe, expect, test } from "vitest";
import { tokenFinding } from "../../../cli/support/explain-requests.ts";
import {
  describedKey,
  judged,
  reading,
  sent,
  tenantId,
  token,
  tokenId,
} from "../../support/judged-requests.ts";
import { newSnapshot, tenant } from "../../support/program-facts.ts";

const removedTenant = (removedAt: string) => tenant({ removal: { removedAt, openKeys: 0 } });

describe("the cause of a 401", () => {
  test.each([
    ["none", "ever issued in this store"],
    ["unknown", "access keys cannot be read"],
  ] as const)("W160 of an unknown key is the store's where it has %s", (keys, why) => {
    const { summary, next } = judged({ status: 401, causeCode: "unknown_token" }, { keys });
    expect(summary).toContain(why);
    expect(summary).not.toContain("never issued here");
    expect(JSON.stringify(next)).toContain("Escalate to operations");
  });

  const refused = { status: 401, cause: "revoked token", tokenId: tokenId(1), tenantId };

  test("is a rotation, and names the token to be used and the newest of the line", () => {
    const at = "2026-11-20T00:00:00.000Z";
    const registry = reading(
      token(1, { revokedAt: at }),
      token(2, { revokedAt: at, replaces: tokenId(1) }),
      token(3, { replaces: tokenId(2) }),
    );
    const { summary, next } = judged(refused, { token: tokenFinding(registry, tokenId(1)) });
    expect(summary).toContain("replaced on 20 November 2026, 00:00 UTC by tok_0000000000000002");
    expect(summary).toContain("(by now replaced by tok_0000000000000003)");
    expect(next.commands).toEqual(["token list", "token rotate tok_0000000000000003"]);
    const gone = reading(token(1, { revokedAt: at }), token(2, { revokedAt: at, replaces: tokenId(1) }));
    const { next: then } = judged(refused, { token: tokenFinding(gone, tokenId(1)) });
    expect(then.commands).toEqual(["audit list --tenant acme", "token create --tenant acme"]);
  });

  test("is the expiry, whatever was done to the token after that request", () => {
    const ended = { expiresAt: "2026-11-20T00:00:00.000Z", revokedAt: "2026-11-22T00:00:00.000Z" };
    const known = tokenFinding(reading(token(1, ended)), tokenId(1));
    expect(judged(refused, { token: known }).summary).toContain(
      "expired on 20 November 2026, 00:00 UTC. Later, on 22 November 2026, 00:00 UTC, it was revoked, too.",
    );
    const swapped = { ...ended, revokedAt: "2026-11-19T00:00:00.000Z" };
    const before = tokenFinding(reading(token(1, swapped)), tokenId(1));
    expect(judged(refused, { token: before }).summary).toContain("was revoked on 19 November 2026");
  });

  test("P91 is the removal of its tenant, which gets no other access key", () => {
    const revoked = token(1, { revokedAt: "2026-11-20T00:00:00.000Z" });
    const known = tokenFinding(reading(revoked), tokenId(1));
    const { summary, next } = judged(refused, {
      token: known,
      tenant: removedTenant("2026-11-20T00:00:00.000Z"),
    });
    expect(summary).toContain("is of tenant acme, which was removed on 20 November 2026, 00:00 UTC");
    expect(next.text).toContain("view partner_source.tenants");
  });

  test("P91 is what ended the access key before, where its tenant was removed only later", () => {
    const removedAt = "2026-11-22T00:00:00.000Z";
    const expiry = token(1, { expiresAt: "2026-11-20T00:00:00.000Z", revokedAt: removedAt });
    const rotation = reading(
      token(1, { revokedAt: "2026-11-20T00:00:00.000Z" }),
      token(2, { revokedAt: removedAt, replaces: tokenId(1) }),
    );
    for (const [registry, text] of [
      [reading(expiry), "expired on 20 November 2026, 00:00 UTC."],
      [rotation, "was replaced on 20 November 2026, 00:00 UTC by tok_0000000000000002."],
    ] as const) {
      const known = tokenFinding(registry, tokenId(1));
      const { summary, next } = judged(refused, { token: known, tenant: removedTenant(removedAt) });
      expect(summary).toContain(text);
      expect(summary).toContain("Its tenant acme was removed on 22 November 2026, 00:00 UTC");
      expect(next.text).toContain("before you promise anything");
      expect(sent(refused, { token: known, tenant: removedTenant(removedAt) })).toContain("no longer valid");
    }
    // A removal that was killed has revoked nothing yet.
    const open = tokenFinding(reading(token(1, { expiresAt: "2026-11-20T00:00:00.000Z" })), tokenId(1));
    expect(sent(refused, { token: open, tenant: removedTenant(removedAt) })).not.toContain("new one");
  });
});

test.each([
  ["2026-11-20T00:00:00.000Z", "expired "],
  ["2027-11-20T00:00:00.000Z", "ends "],
])("an access key until %s is told by whether that is past", (expiresAt, word) => {
  const known = tokenFinding(reading(token(1, { expiresAt })), tokenId(1));
  const described = describedKey({ tokenId: tokenId(1) }, { token: known });
  expect(JSON.stringify(described)).toContain(JSON.stringify(word));
});

describe("the cause of", () => {
  test.each([
    [100, 100, / 100 in .* \(the access key's own limit\)/],
    [600, null, / 600 in .* \(the limit of all, RATE_LIMIT_REQUESTS\)/],
  ])("a 429 is the limit of %d, with whose it is", (limit, rateLimit, text) => {
    const limited = tokenFinding(reading(token(1, { rateLimit })), tokenId(1));
    expect(judged({ status: 429, limit }, { token: limited }).summary).toMatch(text);
  });

  test("P207 an old 500 of a file that is whole by now asks for nothing but another request", () => {
    const { summary, next } = judged(
      { status: 500, tenantId: "acme", causeCode: "corrupt_document" },
      { isMended: true },
    );
    expect(summary).toMatch(/whole by now/);
    expect(next.commands).toEqual([]);
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
