import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mintToken, tokenRandomBytes } from "../../../core/token.ts";
import { bearerCredentials } from "../../../gateway/bearer-credentials.ts";

const token = mintToken(randomBytes(tokenRandomBytes));

test("the scheme counts without regard to case, with one or more spaces before the token", () => {
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    for (const spaces of [" ", "   "]) {
      expect(bearerCredentials([`${scheme}${spaces}${token}`])).toEqual({ kind: "token", token });
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

test("more than one header is malformed, even if they are equal", () => {
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
