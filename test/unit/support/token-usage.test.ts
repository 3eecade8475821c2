import { expect, test } from "vitest";
import type { UsageRow } from "../../../cli/operate/gateway-log/usage-tally.ts";
import { usageByToken } from "../../../cli/support/usage.ts";
import { parseTenantId, parseTokenId } from "../../../core/ids.ts";
import type { TokenDigest } from "../../../core/token.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const until = "2026-11-21T11:30:00.000Z";

function token(number: number, fields: Partial<RegisteredToken> = {}): RegisteredToken {
  return {
    tokenId: parseTokenId(`tok_000000000000000${number}`),
    sha256: String(number).repeat(64) as TokenDigest,
    tenantId: parseTenantId("acme"),
    name: `Partner ${number}`,
    scopes: ["programs.read"],
    expiresAt: null,
    rateLimit: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    revokedAt: null,
    replaces: null,
    ...fields,
  };
}

function row(fields: Partial<UsageRow>): UsageRow {
  return {
    tokenId: token(1).tokenId,
    tenantId: "acme",
    resource: "list",
    status: 200,
    day: "2026-11-21",
    requests: 1,
    lastSeen: "2026-11-21T10:00:00.000Z",
    ...fields,
  };
}

test("The counts of a token are summed by resource and by class of status", () => {
  const rows = [
    row({ requests: 5 }),
    row({ resource: "detail", status: 404, requests: 2, lastSeen: "2026-11-21T11:00:00.000Z" }),
    row({ resource: "legacy", status: 500, requests: 1 }),
  ];
  const [use] = usageByToken(rows, [token(1)], until, now).tokens;
  expect(use).toEqual({
    tokenId: token(1).tokenId,
    tenantId: "acme",
    name: "Partner 1",
    requests: 8,
    byResource: { list: 5, detail: 2, legacy: 1 },
    byClass: { "2xx": 5, "4xx": 2, "5xx": 1 },
    lastSeen: "2026-11-21T11:00:00.000Z",
  });
});

test("Idle are the active tokens without a request; revoked and expired ones are not expected to call", () => {
  const registered = [
    token(1),
    token(2),
    token(3, { revokedAt: "2026-11-01T00:00:00.000Z" }),
    token(4, { expiresAt: "2026-11-21T11:59:59.000Z" }),
  ];
  expect(usageByToken([row({})], registered, until, now).idle.map(({ tokenId }) => tokenId)).toEqual([
    token(2).tokenId,
  ]);
});

test("Whoever calls the deprecated resource is named once", () => {
  const rows = [
    row({ resource: "legacy" }),
    row({ resource: "legacy", day: "2026-11-20" }),
    row({ tokenId: null, resource: "legacy" }),
  ];
  expect(usageByToken(rows, [], until, now).legacyCallers).toEqual([token(1).tokenId]);
});
