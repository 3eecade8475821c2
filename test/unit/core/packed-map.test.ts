import { describe, expect, test } from "vitest";
import { PackedMap } from "../../../core/packed-map.ts";

function numbered(ids: Iterable<string>): PackedMap {
  const map = new PackedMap(4);
  let number = 0;
  for (const id of ids) {
    const value = map.add(id);
    value?.block.writeUInt32LE(number, value.at);
    number += 1;
  }
  return map;
}

function numberOf(map: PackedMap, id: string): number | undefined {
  const value = map.get(id);
  return value?.block.readUInt32LE(value.at);
}

describe("a packed map", () => {
  test("gives back every id, in the order of adding, and its value, across blocks and growths", () => {
    // Of every length, so that the places left at the ends of blocks differ.
    const ids = Array.from({ length: 20_000 }, (_, at) => `${at}-${"x".repeat(at % 250)}`);
    const map = numbered(ids);
    expect(map.count).toBe(ids.length);
    expect([...map.ids()]).toEqual(ids);
    expect(ids.map((id) => numberOf(map, id))).toEqual(ids.map((_, at) => at));
  });

  test("takes an id once, and keeps its first value", () => {
    const map = numbered(Array.from({ length: 1000 }, (_, at) => `p${at % 100}`));
    expect(map.count).toBe(100);
    expect(map.add("p7")).toBeUndefined();
    expect(numberOf(map, "p7")).toBe(7);
    expect([...map.ids()]).toHaveLength(100);
  });

  test.each([255 - 4, 255])("takes an id of %d characters, the most there may be", (length) => {
    const id = "y".repeat(length);
    expect(numberOf(numbered(["p", id]), id)).toBe(1);
  });

  test.each(["", "p", "p11", "P1", "p1\u0000", "\u0170\u0131", "p\u0131", "x".repeat(300)])(
    "does not know %j",
    (id) => {
      expect(numbered(["p1"]).get(id)).toBeUndefined();
      expect(new PackedMap(4).get(id)).toBeUndefined();
    },
  );
});
