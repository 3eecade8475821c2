import { describe, expect, test } from "vitest";
import { ChildCursor } from "../../../cli/publish/source/read-programs.ts";

function rows(...ids: readonly string[]) {
  return ids.map((programId) => ({ programId, json: JSON.stringify([[programId]]) }));
}

function tuplesOf(cursor: ChildCursor, programId: string): unknown[][] {
  return JSON.parse(cursor.rowOf(programId)?.json ?? "[]");
}

describe("merging children with programs", () => {
  test("gives each program its own tuples, [] where there are none, and passes over the others", () => {
    const cursor = new ChildCursor();
    cursor.add(rows("a", "b", "d", "e", "z"), true);
    expect(["b", "c", "d"].map((id) => tuplesOf(cursor, id))).toEqual([[["b"]], [], [["d"]]]);
  });

  test("gives the same tuples to each of two programs of one id", () => {
    const cursor = new ChildCursor();
    cursor.add(rows("a", "b"), true);
    expect(["a", "a", "b"].map((id) => tuplesOf(cursor, id))).toEqual([[["a"]], [["a"]], [["b"]]]);
  });

  test("goes on with what is left of a round when the next one arrives", () => {
    const cursor = new ChildCursor();
    cursor.add(rows("a", "b", "c"), false);
    expect(tuplesOf(cursor, "a")).toEqual([["a"]]);
    cursor.add(rows("d"), true);
    expect(["a", "b", "c", "d"].map((id) => tuplesOf(cursor, id).length)).toEqual([1, 1, 1, 1]);
  });

  test("covers a program once its own or a later row has arrived, or there are no more rows", () => {
    const cursor = new ChildCursor();
    expect(cursor.covers("a")).toBe(false);
    cursor.add(rows("b"), false);
    expect(["a", "b", "c"].map((id) => cursor.covers(id))).toEqual([true, true, false]);
    cursor.add([], true);
    expect(cursor.covers("c")).toBe(true);
  });

  test("is wanted again while fewer rows wait than may be merged next, until there are no more", () => {
    const cursor = new ChildCursor();
    expect(cursor.isWanted(2)).toBe(true);
    cursor.add(rows("a", "b"), false);
    expect(cursor.isWanted(2)).toBe(false);
    // Merged once a later program is asked for.
    tuplesOf(cursor, "b");
    expect(cursor.isWanted(2)).toBe(true);
    cursor.add([], true);
    expect(cursor.isWanted(2)).toBe(false);
  });

  test("follows the order of bytes, in which the database gives the rows, not that of UTF-16", () => {
    const cursor = new ChildCursor();
    // U+FF5A sorts below U+1F600 by bytes and above it by code units.
    cursor.add(rows("Z", "a", "é", "ｚ", "😀"), true);
    expect(["a", "ｚ", "😀"].map((id) => tuplesOf(cursor, id).length)).toEqual([1, 1, 1]);
  });
});
