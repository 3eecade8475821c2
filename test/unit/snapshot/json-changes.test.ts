import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonChange, jsonChanges } from "../../../cli/output/field-words.ts";

describe("the changes between two documents", () => {
  test("show a new element in front as one addition, not as a change of all that follow", () => {
    expect(jsonChanges({ list: ["b", "c"] }, { list: ["a", "b", "c"] })).toEqual([
      { kind: "added", path: "list[0]", after: "a" },
    ]);
  });

  test("go into an element that changed between two that did not", () => {
    const before = [{ n: 1 }, { n: 2, x: "old" }, { n: 3 }];
    const after = [{ n: 1 }, { n: 2, x: "new" }, { n: 3 }];
    expect(jsonChanges(before, after, "rooms")).toEqual([
      { kind: "changed", path: "rooms[1].x", before: "old", after: "new" },
    ]);
  });

  test("are none exactly when the documents say the same", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(jsonChanges(a, structuredClone(a))).toEqual([]);
        expect(jsonChanges(a, b).length === 0).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  test("give the new array when they are applied to the old one", () => {
    const elements = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
    fc.assert(
      fc.property(elements, elements, (before, after) => {
        expect(applied(before, jsonChanges(before, after))).toEqual(after);
      }),
    );
  });
});

/** Removed indices count in the old array, all others in the new one. */
function applied(before: readonly string[], changes: readonly JsonChange[]): unknown[] {
  const placeOf = ({ path }: JsonChange): number => Number(path.slice(1, -1));
  const gone = new Set(changes.filter(({ kind }) => kind === "removed").map(placeOf));
  const result: unknown[] = before.filter((_, at) => !gone.has(at));
  for (const change of changes) {
    if (change.kind === "added") result.splice(placeOf(change), 0, change.after);
    if (change.kind === "changed") result[placeOf(change)] = change.after;
  }
  return result;
}
