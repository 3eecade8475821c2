import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mintToken, tokenRandomBytes } from "../../../core/token.ts";
import { createCredentialsReader } from "../../../gateway/request-head.ts";

const token = mintToken(randomBytes(tokenRandomBytes));
const bearerCredentials = (values: readonly string[]) => createCredentialsReader()(values);

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
