import { describe, expect, test } from "vitest";
import {
  isProgramId,
  isSnapshotId,
  isTenantId,
  isTokenId,
  parseProgramId,
  parseSnapshotId,
  parseTenantId,
  parseTokenId,
  snapshotId,
} from "../../../core/ids.ts";
import { failureOf } from "../../support/failure-of.ts";

const foreign = [
  "",
  " ",
  ".",
  "..",
  "a/b",
  "a\\b",
  "a b",
  "a\n",
  "\na",
  "é",
  "a\0",
  "%2e",
  "a:b",
  ".a",
  "-a",
  "__proto__",
];

describe("tenant ids", () => {
  test.each(["a", "0", "Acme", "acme-tours", "a.b_c~d-e", "constructor", "x".repeat(64)])(
    "%s is one",
    (id) => {
      expect(isTenantId(id)).toBe(true);
      expect(parseTenantId(id)).toBe(id);
    },
  );

  test.each([...foreign, "x".repeat(65)])("%j is none", (id) => {
    expect(isTenantId(id)).toBe(false);
    const failure = failureOf(() => parseTenantId(id));
    expect(failure.code).toBe("usage");
    expect(failure.message).toContain("Not a tenant id");
  });
});

describe("program ids", () => {
  test.each(["a", "0", "P.1_2~3-4", "toString", "a..b", "x".repeat(128)])("%s is one", (id) => {
    expect(isProgramId(id)).toBe(true);
    expect(parseProgramId(id)).toBe(id);
  });

  test.each([...foreign, "x".repeat(129)])("%j is none", (id) => {
    expect(isProgramId(id)).toBe(false);
    expect(failureOf(() => parseProgramId(id)).code).toBe("usage");
  });
});

describe("snapshot ids", () => {
  test("are YYYYMMDDTHHMMSSZ-<8 hex>, of the instant in UTC and the random bytes", () => {
    const at = new Date("2026-01-31T23:59:59.999Z");
    expect(snapshotId(at, Buffer.from("0a1b2c3dffff", "hex"))).toBe("20260131T235959Z-0a1b2c3d");
  });

  test.each(["20260131T235959Z-0a1b2c3d"])("%s is one", (id) => {
    expect(isSnapshotId(id)).toBe(true);
  });

  test.each([
    "20260131T235959Z",
    "20260131T235959Z-0A1B2C3D",
    "20260131T235959Z-0a1b2c3",
    "20260131T235959Z-0a1b2c3d0",
    "2026-01-31T23:59:59Z-0a1b2c3d",
    "20260131T235959Z-0a1b2c3d/x",
    "../20260131T235959Z-0a1b2c3d",
    "",
  ])("%j is none", (id) => {
    expect(isSnapshotId(id)).toBe(false);
    expect(failureOf(() => parseSnapshotId(id)).message).toContain("like 20260131T120000Z-0a1b2c3d");
  });
});

describe("token ids", () => {
  test("are tok_ and 16 characters of base62", () => {
    expect(isTokenId("tok_0123456789abcXYZ")).toBe(true);
    const others = [
      "tok_0123456789abcXY",
      "tok_0123456789abcXYZ0",
      "tok_0123456789abc_YZ",
      "TOK_0123456789abcXYZ",
    ];
    expect(others.map(isTokenId)).toEqual([false, false, false, false]);
  });

  test("a token that somebody takes for its id is not repeated in the error", () => {
    const token = "ppr_00000000000000000000000000000000000000000004IkxKR";
    expect(failureOf(() => parseTokenId(token)).message).not.toContain(token);
  });
});
