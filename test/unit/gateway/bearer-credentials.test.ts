import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mintToken, tokenRandomBytes } from "../../../core/token.ts";
import { createCredentialsReader } from "../../../gateway/request-head.ts";

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
