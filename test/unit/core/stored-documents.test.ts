import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { type Current, currentBytes, parseCurrent } from "../../../core/documents/current.ts";
import { mintToken, type TokenDigest, tokenDigest } from "../../../core/documents/token.ts";
import {
  emptyRegistry,
  parseTokenRegistry,
  tokenRegistryBytes,
  tokenStatus,
} from "../../../core/documents/token-registry.ts";
import { parseSnapshotId, parseTenantId, parseTokenId } from "../../../core/ground/ids.ts";
import { readBody } from "../../../core/store/object-body.ts";
import { failureOf, rejectionOf } from "../../support/failure-of.ts";
import { issueToken } from "../../support/gateway-tokens.ts";

const tenantId = parseTenantId("acme");

const current: Current = {
  tenantId,
  generation: 3,
  snapshotId: parseSnapshotId("20260131T120000Z-0a1b2c3d"),
  manifestSha256: "ab".repeat(32),
  publishedAt: "2026-01-31T12:00:01.000Z",
  hold: { reason: "prices are wrong", since: "2026-01-31T13:00:00.000Z" },
  nonce: "0123456789abcdef0123456789abcdef",
};

const { entry: token } = issueToken("acme", { expiresAt: "2027-01-01T00:00:00.000Z", rateLimit: 100 });

/** The document with one thing changed in its text. */
function changed(bytes: Buffer, from: string, to: string): Buffer {
  const text = bytes.toString();
  if (!text.includes(from)) throw new Error(`${from} is not in ${text}`);
  return Buffer.from(text.replace(from, to));
}

describe("current.json", () => {
  test.each([current, { ...current, hold: null }])("comes back as it was written", (document) => {
    expect(parseCurrent(currentBytes(document), tenantId)).toEqual(document);
  });

  test("of another tenant is refused, without naming that tenant", () => {
    const failure = failureOf(() => parseCurrent(currentBytes(current), parseTenantId("other")));
    expect(failure.code).toBe("corrupt_document");
    expect(failure.message).toBe("current.json of tenant other belongs to another tenant.");
  });

  test.each<[string, string, string]>([
    ["another format", "current@1", "current@2"],
    ["a generation of 0", '"generation":3', '"generation":0'],
    ["an ill-formed snapshot id", "20260131T120000Z-0a1b2c3d", "../../x"],
    ["trailing text", '"}', '"}x'],
  ])("with %s is refused", (_, from, to) => {
    expect(failureOf(() => parseCurrent(changed(currentBytes(current), from, to), tenantId)).code).toBe(
      "corrupt_document",
    );
  });
});

describe("auth/tokens.json", () => {
  const registry = {
    revision: 5,
    tokens: [
      token,
      {
        ...token,
        tokenId: parseTokenId("tok_zzzzzzzzzzzzzzzz"),
        sha256: tokenDigest(mintToken(Buffer.alloc(32, 2))),
        name: null,
        expiresAt: null,
        rateLimit: null,
        revokedAt: "2026-02-01T00:00:00.000Z",
        replaces: token.tokenId,
      },
    ],
  };

  test("comes back as it was written, however it is laid out", async () => {
    for (const whole of [registry, emptyRegistry]) {
      const bytes = tokenRegistryBytes(whole);
      expect(await parseTokenRegistry(bytes)).toEqual(whole);
      const document = JSON.parse(bytes.toString());
      const { format, revision, tokens } = document;
      for (const text of [
        JSON.stringify(document, null, 2),
        JSON.stringify({ tokens, revision, format }),
        JSON.stringify(document).replace('"tokens"', '"\\u0074okens"'),
        JSON.stringify(document).replace('"tokens":', '"tokens":[{}],"tokens":'),
      ])
        expect(await parseTokenRegistry(Buffer.from(text))).toEqual(whole);
    }
  });

  test("of 10,000 tokens lets other work of the process have its turn, and names a fault by its place", async () => {
    const digits = (at: number, length: number): string => at.toString(16).padStart(length, "0");
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      ...token,
      tokenId: parseTokenId(`tok_${digits(at, 16)}`),
      sha256: digits(at, 64) as TokenDigest,
      rateLimit: at === 9876 ? 0 : null,
    }));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const bytes = tokenRegistryBytes({ revision: 1, tokens: many });
    await expect(parseTokenRegistry(bytes)).rejects.toThrow("/tokens/9876/rateLimit must be");
    clearImmediate(next);
    expect(turns).toBeGreaterThan(30);
  });

  test.each([
    ["of one id", { ...token, sha256: tokenDigest(mintToken(Buffer.alloc(32, 3))) }],
    ["of one digest", { ...token, tokenId: parseTokenId("tok_yyyyyyyyyyyyyyyy") }],
  ])("with two entries %s is refused: it would be unclear whom it lets in", async (_, twin) => {
    const bytes = tokenRegistryBytes({ revision: 1, tokens: [token, twin] });
    await expect(parseTokenRegistry(bytes)).rejects.toThrow(/^auth\/tokens\.json has two entries/);
  });

  test.each<[string, string, string]>([
    ["an ill-formed tenant", '"acme"', '"../acme"'],
    ["a digest that is none", token.sha256, "00"],
    ["an expiry that is no instant", "2027-01-01T00:00:00.000Z", "2027-01-01"],
    ["a token's plaintext beside its digest", '"sha256"', '"token":"x","sha256"'],
    ["no list", '"tokens":[', '"tokens":null,"x":['],
  ])("with %s is refused", async (_, from, to) => {
    const bytes = changed(tokenRegistryBytes({ revision: 1, tokens: [token] }), from, to);
    await expect(parseTokenRegistry(bytes)).rejects.toMatchObject({ code: "corrupt_document" });
  });
});

describe("the status of a token", () => {
  const expiry = Date.parse(token.expiresAt ?? "");

  test.each([
    [-1, "active"],
    [0, "expired"],
    [1, "expired"],
  ])("%d ms from its expiry is %s", (offset, status) => {
    expect(tokenStatus(token, new Date(expiry + offset))).toBe(status);
  });

  test("is active for ever without an expiry, and revoked whatever its expiry", () => {
    const late = new Date("9999-01-01T00:00:00Z");
    expect(tokenStatus({ ...token, expiresAt: null }, late)).toBe("active");
    expect(tokenStatus({ ...token, revokedAt: "2026-02-01T00:00:00.000Z" }, late)).toBe("revoked");
    expect(tokenStatus({ ...token, revokedAt: "2026-02-01T00:00:00.000Z" }, new Date(0))).toBe("revoked");
  });
});

test("bodies beyond the bound are refused and let go of at once", async () => {
  const body = Readable.from([Buffer.from("ab"), Buffer.from("cd"), Buffer.from("e")]);
  const failure = await rejectionOf(readBody({ body }, 3, "the thing"));
  expect(failure).toMatchObject({ code: "corrupt_document", message: "the thing is larger than 3 bytes." });
  expect(body.destroyed).toBe(true);
});
