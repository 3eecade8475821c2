import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mintToken, tokenDigest, tokenRandomBytes } from "../../../core/token.ts";
import { createCredentialsReader } from "../../../gateway/bearer-credentials.ts";

const token = mintToken(randomBytes(tokenRandomBytes));
const bearerCredentials = (values: readonly string[]) => createCredentialsReader()(values);

test("W30 the scheme counts without regard to case, with one or more spaces before the token", () => {
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    for (const spaces of [" ", "   "]) {
      expect(bearerCredentials([`${scheme}${spaces}${token}`])).toEqual({
        kind: "token",
        digest: tokenDigest(token),
      });
    }
  }
});

test("no header, or another scheme, is no credential of ours", () => {
  for (const values of [[], [""], [token], ["Basic eA=="], [`Bearers ${token}`], [`Bearer\t${token}`]]) {
    expect(bearerCredentials(values)).toEqual({ kind: "none" });
  }
});

test("a bearer credential of a wrong form is malformed", () => {
  for (const value of [
    "Bearer",
    `Bearer ${token} `,
    `Bearer ${token}0`,
    `Bearer "${token}"`,
    `Bearer ${token}, a=b`,
  ]) {
    expect(bearerCredentials([value])).toEqual({ kind: "malformed" });
  }
});

test("W32 more than one header is malformed, even if they are equal", () => {
  expect(bearerCredentials([`Bearer ${token}`, `Bearer ${token}`])).toEqual({ kind: "malformed" });
  expect(bearerCredentials(["Basic eA==", `Bearer ${token}`])).toEqual({ kind: "malformed" });
});

test("one changed character never gives another token", () => {
  fc.assert(
    fc.property(
      fc.nat(token.length - 1),
      fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }),
      (at, other) => {
        fc.pre(other !== token[at]);
        const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
        expect(bearerCredentials([`Bearer ${changed}`]).kind).toBe("malformed");
      },
    ),
  );
});

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
