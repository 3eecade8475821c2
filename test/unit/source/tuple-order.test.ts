import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderedRows } from "../../../cli/publish/source/program-row.ts";

describe("the order of children", () => {
  test("is that of their positions as numbers, NULL last, and the position is cut off", () => {
    expect(
      orderedRows("faq", [
        [null, "last"],
        [10, "ten"],
        [-1, "first"],
        [9, "nine"],
        [0, "zero"],
      ]),
    ).toEqual([["first"], ["zero"], ["nine"], ["ten"], ["last"]]);
  });

  test("does not depend on the order in which rows of one position, or of none, arrive", () => {
    const tuple = fc.tuple(
      fc.option(fc.integer({ min: 0, max: 2 })),
      fc.option(fc.string()),
      fc.option(fc.nat(2)),
    );
    const shuffled = fc
      .array(tuple, { maxLength: 8 })
      .chain((tuples) =>
        fc.tuple(
          fc.constant(tuples),
          fc.shuffledSubarray(tuples, { minLength: tuples.length, maxLength: tuples.length }),
        ),
      );
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        expect(JSON.stringify(orderedRows("faq", [...other]))).toBe(
          JSON.stringify(orderedRows("faq", [...one])),
        );
      }),
    );
  });
});
