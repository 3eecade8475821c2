import { describe, expect, test } from "vitest";
import {
  isTokenId,
  parseProgramId,
  parseSnapshotId,
  parseTenantId,
  parseTokenId,
  snapshotId,
} from "../../../core/ground/ids.ts";
import { failureOf } from "../../support/failure-of.ts";

const foreign = [..."a/b a\\b . .. é %2e a:b .a -a".split(" "), "", " ", "a b", "a\n", "\na", "a\0"];
const instant = "20260131T235959Z";

describe.each([
  {
    kind: "tenant",
    parse: parseTenantId,
    ids: ["a", "0", "Acme", "acme-tours", "a.b_c~d-e", "constructor", "x".repeat(64)],
    others: [...foreign, "__proto__", "x".repeat(65)],
    says: "Not a tenant id",
  },
  {
    kind: "program",
    parse: parseProgramId,
    ids: ["a", "0", "P.1_2~3-4", "toString", "a..b", "x".repeat(128)],
    others: [...foreign, "__proto__", "x".repeat(129)],
    says: "Not a program id",
  },
  {
    kind: "snapshot",
    parse: parseSnapshotId,
    ids: [`${instant}-0a1b2c3d`],
    others: [
      instant,
      `${instant}-0A1B2C3D`,
      `${instant}-0a1b2c3`,
      `${instant}-0a1b2c3d0`,
      `../${instant}-0a1b2c3d`,
    ],
    says: "like 20260131T120000Z-0a1b2c3d",
  },
])("the id of a $kind", ({ parse, ids, others, says }) => {
  test.each(ids)("may be %s", (id) => expect(parse(id)).toBe(id));

  test.each(others)("is not %j", (id) => {
    expect(failureOf(() => parse(id))).toMatchObject({
      code: "usage",
      message: expect.stringContaining(says),
    });
  });
});

test("snapshot ids are YYYYMMDDTHHMMSSZ-<8 hex>, of the instant in UTC and the random bytes", () => {
  const at = new Date("2026-01-31T23:59:59.999Z");
  expect(snapshotId(at, Buffer.from("0a1b2c3dffff", "hex"))).toBe("20260131T235959Z-0a1b2c3d");
});

test("token ids are tok_ and 16 characters of base62", () => {
  const ids = ["tok_0123456789abcXYZ", "tok_0123456789abcXY", "tok_0123456789abc_YZ", "TOK_0123456789abcXYZ"];
  expect(ids.map(isTokenId)).toEqual([true, false, false, false]);
});

test("a token that somebody takes for its id is not repeated in the error", () => {
  const token = "ppr_00000000000000000000000000000000000000000004IkxKR";
  expect(failureOf(() => parseTokenId(token)).message).not.toContain(token);
});
