import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mintToken, tokenRandomBytes } from "../../../core/documents/token.ts";
import { mayWait } from "../../../gateway/request/connections.ts";
import { createCredentialsReader, prefersGzip } from "../../../gateway/request/request-head.ts";
import { originForm, requestTarget } from "../../../gateway/request/request-target.ts";

test("W20 only the one spelling of a fixed path names its resource", () => {
  expect(requestTarget("/v1/programs")).toEqual({ kind: "list" });
  expect(requestTarget("/api/v1/partner/programs")).toEqual({ kind: "legacy" });
  const others = fc
    .string({ unit: "grapheme-ascii", maxLength: 40 })
    .filter((text) => !/^(?:https?:\/\/[^/?]*)?\/(?:v1|api\/v1\/partner)\/programs(?:[/?]|$)/i.test(text));
  fc.assert(
    fc.property(others, (text) => {
      expect(["unknown", "malformed"]).toContain(requestTarget(text).kind);
    }),
  );
});

test("W21 whatever follows /v1/programs/ in one segment is an id, as it came", () => {
  const segment = fc
    .string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    })
    .filter((text) => !/[/?#]/.test(text));
  fc.assert(
    fc.property(segment, (text) => {
      expect(requestTarget(`/v1/programs/${text}?query`)).toEqual({ kind: "detail", segment: text });
    }),
  );
});

test("a target keeps its meaning in origin form, which always begins with a path", () => {
  const authority = fc.stringMatching(/^[!-~]{0,12}$/);
  const target = fc.oneof(
    fc.string(),
    fc
      .tuple(
        fc.constantFrom("http://", "HTTPS://", "ftp://", "*", "/", ""),
        authority,
        fc.constantFrom(
          "/v1/programs",
          "/v1/programs/a%2Fb",
          "?x",
          "/api/v1/partner/programs?a=1",
          "/v1/#",
          "",
        ),
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(target, (raw) => {
      expect(originForm(raw)).toMatch(/^\//);
      expect(requestTarget(originForm(raw))).toEqual(requestTarget(raw));
    }),
  );
});

const token = mintToken(randomBytes(tokenRandomBytes));
const bearerCredentials = (values: readonly string[]) => createCredentialsReader()(values);

test("what a connection bore before never stands for what it bears now", () => {
  const read = createCredentialsReader();
  const other = mintToken(randomBytes(tokenRandomBytes));
  const requests = [
    [],
    [`Bearer ${token}`],
    [`Bearer ${other}`],
    ["Bearer x"],
    [`Bearer ${token}`, "Basic eA=="],
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...requests), { maxLength: 12 }), (history) => {
      for (const values of history) expect(read(values)).toEqual(bearerCredentials(values));
    }),
  );
});

test.each([
  ["gzip", true],
  ["GZIP", true],
  ["x-gzip", true],
  ["gzip, deflate, br", true],
  ["br;q=1.0, gzip;q=0.8, *;q=0.1", true],
  ["*", true],
  ["gzip;q=0.001", true],
  ["identity, gzip", true],
  ["identity;q=0.5, gzip;q=0.5", true],
  ["identity;q=0, gzip", true],
  [" gzip ; q=1 ", true],
  ["", false],
  ["identity", false],
  ["br", false],
  ["gzip;q=0", false],
  ["gzip;q=0.000", false],
  ["*;q=0", false],
  ["gzip;q=0, *", false],
  ["identity;q=1, gzip;q=0.5", false],
  ["gzip;q=nonsense", false],
  ["gzip;q=2", false],
  ["notgzip", false],
  ["gzip2", false],
])("W46 Accept-Encoding: %s → gzip: %s", (header, expected) => expect(prefersGzip(header)).toBe(expected));

test("W61 256 requests may wait, and one more for each that is taken up", () => {
  const connection = { waiting: [] };
  for (let at = 0; at < 256; at += 1) expect(mayWait(connection, at)).toBe(true);
  connection.waiting.shift();
  expect([mayWait(connection, 256), mayWait(connection, 257)]).toEqual([true, false]);
});

test("W61 256 KiB may wait beyond the first of them, wherever on the connection that stands", () => {
  const connection = { waiting: [] };
  expect(mayWait(connection, 1_000_000)).toBe(true);
  expect(mayWait(connection, 1_000_000 + 256 * 1024)).toBe(true);
  expect(mayWait(connection, 1_000_001 + 256 * 1024)).toBe(false);
});

test("W61 bytes count from the first that still waits", () => {
  const connection = { waiting: [] };
  mayWait(connection, 0);
  mayWait(connection, 100);
  connection.waiting.shift();
  expect(mayWait(connection, 100 + 256 * 1024)).toBe(true);
});
