import { expect, test } from "vitest";
import { counted, numberText } from "../../../cli/output/counted.ts";

test.each([0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 9_007_199_254_740_991])(
  "%d is written as in English",
  (count) => {
    expect(numberText(count)).toBe(count.toLocaleString("en"));
  },
);

test("one has a noun in the singular, everything else in the plural", () => {
  expect([0, 1, 1200].map((count) => counted(count, "request"))).toEqual([
    "0 requests",
    "1 request",
    "1,200 requests",
  ]);
});
