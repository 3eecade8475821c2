import fc from "fast-check";
import { expect, test } from "vitest";
import { countText } from "../../../gateway/header-lines.ts";

test("a count is written as any number is, whichever came before it", () => {
  const text = countText();
  for (const count of [0, 7, 999, 1000, 1001, 999, 1999, 2000, 1_000_000, 1_000_999, 0]) {
    expect(text(count)).toBe(`${count}`);
  }
  fc.assert(fc.property(fc.nat(), (count) => text(count) === `${count}`));
});
