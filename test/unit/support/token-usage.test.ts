import { expect, test } from "vitest";
import { type UsageRow, usageByToken } from "../../../cli/read/gateway-log/token-usage.ts";
import { token, tokenId } from "../../support/judged-requests.ts";

const day = "2026-11-21";
const lastSeen = `${day}T10:00:00.000Z`;
const used: UsageRow = {
  tokenId: tokenId(1),
  tenantId: "acme",
  resource: "list",
  status: 200,
  day,
  requests: 5,
  lastSeen,
};

test("counts are summed by token, and only a token that could have called and did not is idle", () => {
  const rows: readonly UsageRow[] = [
    used,
    { ...used, resource: "legacy", status: 404, requests: 2, lastSeen: `${day}T11:00:00.000Z` },
    { ...used, tokenId: null, status: 401, requests: 9 },
  ];
  const registered = [
    token(1),
    token(2),
    token(3, { revokedAt: "2026-11-01T00:00:00.000Z" }),
    token(4, { expiresAt: `${day}T11:59:59.000Z` }),
    token(5, { createdAt: `${day}T11:30:00.001Z` }),
  ];
  const now = new Date(`${day}T12:00:00.000Z`);
  const { tokens, idle, legacyCallers } = usageByToken(rows, registered, `${day}T11:30:00.000Z`, now);
  expect(tokens).toMatchObject([
    { tokenId: null, requests: 9 },
    {
      tokenId: tokenId(1),
      requests: 7,
      byResource: { list: 5, legacy: 2 },
      byClass: { "2xx": 5, "4xx": 2, "5xx": 0 },
      lastSeen: `${day}T11:00:00.000Z`,
    },
  ]);
  expect([idle.map((one) => one.tokenId), legacyCallers]).toEqual([[tokenId(2)], [tokenId(1)]]);
});
