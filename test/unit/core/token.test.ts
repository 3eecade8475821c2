import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mintToken, parseToken, tokenDigest } from "../../../core/documents/token.ts";

/**
 * Random bytes in hex, and the token that they make: computed by another program, from the rule's text alone.
 */
const vectors = [
  ["00".repeat(32), "ppr_00000000000000000000000000000000000000000004IkxKR"],
  ["ff".repeat(32), "ppr_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp11CMVN1"],
  [
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    "ppr_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf3f3tEt",
  ],
  [`${"00".repeat(31)}3d`, "ppr_000000000000000000000000000000000000000000z2HtHbl"],
  ["deadbeef".repeat(8), "ppr_qnqUDILfbk3NCC7vxvHkREe9pHE2yEo82btf7NAUd151TGTMm"],
  // A checksum that is padded with zeros.
  [`${"00".repeat(30)}0559`, "ppr_00000000000000000000000000000000000000000M5002sQd"],
] as const;

const issued = mintToken(Buffer.alloc(32, 7));

describe("a token", () => {
  test.each(vectors)("of the random bytes %s is %s", (hex, token) => {
    expect(mintToken(Buffer.from(hex, "hex"))).toBe(token);
    expect(parseToken(token)).toBe(token);
  });

  test("T1 is ppr_, 43 characters of base62 for 256 random bits and 6 for the checksum", () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, (random) => {
        const token = mintToken(random);
        expect(token).toMatch(/^ppr_[0-9A-Za-z]{49}$/);
        expect(parseToken(token)).toBe(token);
      }),
    );
  });

  test("T3 is stored as the SHA-256 of the whole string, in hex", () => {
    const token = parseToken(vectors[0][1]);
    expect(token && tokenDigest(token)).toBe(
      "f71b94eaa9fb96853fff8705b081b7dd7414f341fc1d02d8d6d15b63a70f78f8",
    );
  });
});

describe("T1 a string that is refused as a token", () => {
  test("any single character of it changed", () => {
    const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (let at = 0; at < issued.length; at += 1) {
      for (const character of alphabet) {
        if (character === issued[at]) continue;
        expect(parseToken(issued.slice(0, at) + character + issued.slice(at + 1))).toBeUndefined();
      }
    }
  });

  test.each([
    ["nothing", ""],
    ["only the prefix", "ppr_"],
    ["a character more", `${issued}0`],
    ["a character less", issued.slice(0, -1)],
    ["white space before", ` ${issued}`],
    ["a line break after", `${issued}\n`],
    ["another case of the prefix", issued.replace("ppr_", "PPR_")],
    ["another prefix", issued.replace("ppr_", "tok_")],
    ["characters outside the alphabet", issued.replace(/.$/, "-")],
    ["full-width digits", `ppr_${"０".repeat(49)}`],
    ["two of them", issued + issued],
    ["a megabyte", "a".repeat(1_000_000)],
  ])("%s", (_, text) => expect(parseToken(text)).toBeUndefined());
});
