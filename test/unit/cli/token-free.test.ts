import fc from "fast-check";
import { expect, test } from "vitest";
import { decodedThroughout, tokenFree } from "../../../cli/output/safe-output.ts";
import { sized } from "../../support/quick-pass.ts";

const token = `ppr_${"Az9".repeat(16)}x`;

function encoded(character: string, isLower: boolean): string {
  const hex = character.charCodeAt(0).toString(16);
  return `%${isLower ? hex : hex.toUpperCase()}`;
}

test.each([
  ["with an encoded line break in it", token.replace(/.{12}/, "$&%0D%0A")],
  ["with an encoded space in its prefix", token.replace("_", "%20_")],
  ["with its prefix in capitals", token.replace("ppr", "PPR")],
  ["with its prefix in mixed case, and encoded", token.replace("ppr_", "p%50r%5F")],
])("T4: a token %s is taken out, and what stands around it stays", (_, text) => {
  expect(tokenFree(`/find?q=${text}&page=2`)).toBe("/find?q=ppr_…&page=2");
});

test("T4: a token is taken out in every mixture of encodings", () => {
  const spelling = fc
    .array(fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()), {
      minLength: token.length,
      maxLength: token.length,
    })
    .map((choices) =>
      choices
        .map(([isEncoded, isTwice, isLower], at) => {
          const character = token.charAt(at);
          if (!isEncoded) return character;
          const once = encoded(character, isLower);
          return isTwice ? [...once].map((c) => encoded(c, !isLower)).join("") : once;
        })
        .join(""),
    );
  fc.assert(
    fc.property(spelling, (text) => {
      expect(tokenFree(`/a-b/${text}`)).toBe("/a-b/ppr_…");
    }),
    { numRuns: sized({ whole: 2000, quick: 200 }) },
  );
});

test("text without a token stays as it is, percent signs and all", () => {
  const url = "https://img.example/%70pr%5Fphoto%20of%20a%20temple.jpg?w=100%25";
  expect(tokenFree(url)).toBe(url);
  expect(tokenFree(token, [token])).toBe(token);
});

test("decoding takes a time in proportion to the text", () => {
  const deep = `%${"25".repeat(200_000)}`;
  expect(decodedThroughout(deep)).toBe("%");
});
