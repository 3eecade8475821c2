import { describe, expect, test } from "vitest";
import type { RequestLogLine } from "../../../cli/gateway-log/request-line.ts";
import { realCause } from "../../../cli/support/request/real-cause.ts";
import type { RequestFacts } from "../../../cli/support/request/request-facts.ts";
import { type RegistryReading, tokenFinding } from "../../../cli/support/request/token-finding.ts";
import { parseTenantId, parseTokenId, type TokenId } from "../../../core/ids.ts";
import type { TokenDigest } from "../../../core/token.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";
import { history, newSnapshot, oldSnapshot } from "../../support/program-facts.ts";

const tenantId = parseTenantId("acme");

function token(number: number, fields: Partial<RegisteredToken> = {}): RegisteredToken {
  return {
    tokenId: tokenId(number),
    sha256: String(number).repeat(64) as TokenDigest,
    tenantId,
    name: "Website",
    scopes: ["programs.read"],
    expiresAt: null,
    rateLimit: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    revokedAt: null,
    replaces: null,
    ...fields,
  };
}

function tokenId(number: number): TokenId {
  return parseTokenId(`tok_000000000000000${number}`);
}

function reading(...tokens: readonly RegisteredToken[]): RegistryReading {
  return { kind: "read", registry: { revision: 1, tokens } };
}

function line(fields: Partial<RequestLogLine>): RequestLogLine {
  return {
    time: "2026-11-21T12:00:00.000Z",
    requestId: "r-1",
    tokenId: null,
    tenantId: null,
    route: "list",
    method: "GET",
    status: 200,
    durationMs: 1,
    bytes: 10,
    snapshotId: null,
    objectKey: null,
    programId: null,
    limit: null,
    causeCode: null,
    cause: null,
    isCut: false,
    ...fields,
  };
}

function judged(fields: Partial<RequestLogLine>, others: Partial<RequestFacts> = {}) {
  return realCause({ line: line(fields), token: { kind: "none" }, history: null, ...others });
}

describe("the cause of a 401", () => {
  test.each([
    ["no_token", "no bearer token"],
    ["unknown_token", "this store never issued it"],
    ["malformed_token", "What was sent as a token is none"],
    [null, "refused the request: as the log says."],
  ])("whose log says %s", (causeCode, text) => {
    expect(judged({ status: 401, causeCode, cause: "as the log says" }).summary).toContain(text);
  });

  const refused = { status: 401, cause: "revoked token", tokenId: tokenId(1), tenantId };

  test("is the command that revoked the token, when there is no replacement", () => {
    const revoked = token(1, { revokedAt: "2026-11-20T00:00:00.000Z" });
    const { summary, next } = judged(refused, { token: tokenFinding(reading(revoked), tokenId(1)) });
    expect(summary).toContain("revoked at 2026-11-20T00:00:00.000Z by `token revoke`");
    expect(next.commands).toEqual(["token create --tenant acme"]);
  });

  test("is a rotation, and names the token to be used and the newest of the line", () => {
    const at = "2026-11-20T00:00:00.000Z";
    const registry = reading(
      token(1, { revokedAt: at }),
      token(2, { revokedAt: at, replaces: tokenId(1) }),
      token(3, { replaces: tokenId(2) }),
    );
    const { summary, next } = judged(refused, { token: tokenFinding(registry, tokenId(1)) });
    expect(summary).toContain("by `token rotate`, which issued tok_0000000000000002");
    expect(summary).toContain("(by now replaced by tok_0000000000000003)");
    expect(next.commands).toEqual(["token rotate tok_0000000000000003"]);
  });

  test("is the expiry", () => {
    const expired = token(1, { expiresAt: "2026-11-01T00:00:00.000Z" });
    const { summary } = judged(refused, { token: tokenFinding(reading(expired), tokenId(1)) });
    expect(summary).toContain("expired at 2026-11-01T00:00:00.000Z");
  });

  test("is another store's token when the registry does not have it", () => {
    const { summary } = judged(refused, { token: tokenFinding(reading(), tokenId(1)) });
    expect(summary).toContain("not in this store's registry");
  });

  test("is what the log says when the registry cannot be read", () => {
    const unavailable: RegistryReading = { kind: "unavailable", reason: "The store is away." };
    const { summary } = judged(refused, { token: tokenFinding(unavailable, tokenId(1)) });
    expect(summary).toContain("revoked token");
    expect(summary).toContain("The store is away.");
  });

  test("is found in a registry whose entries replace each other in a circle", () => {
    const registry = reading(token(1, { replaces: tokenId(2) }), token(2, { replaces: tokenId(1) }));
    const found = tokenFinding(registry, tokenId(1));
    expect(found.kind === "known" && found.successors.length).toBe(2);
  });
});

describe("the cause of a 404 for a program", () => {
  const missed = {
    status: 404,
    route: "detail",
    programId: "KYOTO-1",
    tenantId,
    snapshotId: newSnapshot.snapshotId,
  };
  const later = "20261122T120000Z-00000004";

  test("is that the id never existed, as far as snapshots are kept", () => {
    const { summary } = judged(missed, { history: history() });
    expect(summary).toContain("nor does any of the 2 snapshots that are kept");
  });

  test("is the snapshot that took it out", () => {
    const was = history({ first: oldSnapshot, last: oldSnapshot, removedBy: newSnapshot });
    const { summary, next } = judged(missed, { history: was });
    expect(summary).toContain(`was taken out by snapshot ${newSnapshot.snapshotId}`);
    expect(next.commands).toEqual(["snapshot explain --tenant acme --program KYOTO-1"]);
  });

  test("is that it came only later, and is served now", () => {
    const moment = { ...newSnapshot, snapshotId: later as typeof newSnapshot.snapshotId };
    const { summary, next } = judged(missed, {
      history: history({ first: moment, last: moment, isServed: true }),
    });
    expect(summary).toContain(`it came with snapshot ${later} and is served now`);
    expect(next.text).toContain("ask again");
  });

  test("is left to `snapshot explain` when the store tells nothing", () => {
    expect(judged(missed).next.commands).toEqual(["snapshot explain --tenant acme --program KYOTO-1"]);
  });
});

describe("the cause of", () => {
  test("a 404 for a path is the path, which the log does not keep", () => {
    expect(judged({ status: 404, route: "unknown" }).summary).toContain("names nothing that the API has");
  });

  test("a 403 is the scope that the token lacks", () => {
    const narrow = token(1, { scopes: ["other.read"] });
    const { summary } = judged({ status: 403 }, { token: tokenFinding(reading(narrow), tokenId(1)) });
    expect(summary).toContain("lacks the scope programs.read; it has: other.read");
  });

  test.each([
    [100, 100, "100 per window (the token's own limit)"],
    [600, null, "600 per window (the gateway's general limit, RATE_LIMIT_REQUESTS)"],
  ])("a 429 is the limit of %d, with whose it is", (limit, rateLimit, text) => {
    const limited = tokenFinding(reading(token(1, { rateLimit })), tokenId(1));
    expect(judged({ status: 429, limit }, { token: limited }).summary).toContain(text);
  });

  test("a 405 is the method", () => {
    expect(judged({ status: 405, method: "OPTIONS" }).summary).toContain("The method OPTIONS is not GET");
  });

  test("a 400 for a program is its ill-formed id, any other the request itself", () => {
    expect(judged({ status: 400, route: "detail" }).summary).toContain("not well formed");
    expect(judged({ status: 400, route: "unknown", cause: "2 Host headers" }).summary).toContain(
      "2 Host headers",
    );
  });

  test.each([
    ["not_found", "snapshot build --tenant acme", "never published"],
    ["registry_unconfirmed", "token list", "auth/tokens.json"],
    ["corrupt_document", "snapshot verify --tenant acme", "damaged or gone"],
    ["store_unavailable", "store check", "did not answer in time or refused"],
    ["store_denied", "store check", "did not answer in time or refused"],
    ["internal", "snapshot status --tenant acme", "unexpected"],
    [null, "store check", "unexpected"],
  ])("a 500 is what the gateway noted, with the remedy for its code %s", (causeCode, command, remedy) => {
    const { summary, next } = judged({ status: 500, causeCode, cause: "What went wrong.", tenantId });
    expect(summary).toContain("What went wrong.");
    expect(next.commands).toContain(command);
    expect(next.text).toContain(remedy);
  });

  test("a 200 that was cut off is the client, or what the gateway noted", () => {
    expect(judged({ isCut: true }).summary).toContain("the client went away");
    expect(judged({ isCut: true, cause: "k ended early" }).summary).toContain("k ended early");
  });

  test("a 200 is nothing, and it can be seen again", () => {
    const { next } = judged({ tenantId, snapshotId: newSnapshot.snapshotId, route: "legacy" });
    expect(next.commands).toEqual([
      `snapshot show --tenant acme --snapshot ${newSnapshot.snapshotId} --legacy --raw`,
    ]);
  });
});
