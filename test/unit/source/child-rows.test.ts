import { describe, expect, test } from "vitest";
import { ChildRows } from "../../../cli/publish/source/read-programs.ts";
import { sourceCursor } from "../../../cli/publish/source/source-cursor.ts";
import { cannedLimits } from "../../support/canned-source.ts";

function faqRows(): ChildRows {
  return new ChildRows(sourceCursor("faq", cannedLimits, new Set()));
}

/** A round of the query with rows of these programs. */
function arrive(rows: ChildRows, ids: readonly string[], isComplete: boolean): void {
  rows.cursor.isComplete = isComplete;
  rows.add(new Map([["faq", ids.map((programId) => [programId, "acme", JSON.stringify([[programId]])])]]));
}

function tuplesOf(rows: ChildRows, programId: string): unknown[][] {
  return JSON.parse(rows.rowOf(programId)?.[2] ?? "[]");
}

describe("merging children with programs", () => {
  test("gives each program its own tuples, [] where there are none, and passes over the others", () => {
    const rows = faqRows();
    arrive(rows, ["a", "b", "d", "e", "z"], true);
    expect(["b", "c", "d"].map((id) => tuplesOf(rows, id))).toEqual([[["b"]], [], [["d"]]]);
  });

  test("gives the same tuples to each of two programs of one id", () => {
    const rows = faqRows();
    arrive(rows, ["a", "b"], true);
    expect(["a", "a", "b"].map((id) => tuplesOf(rows, id))).toEqual([[["a"]], [["a"]], [["b"]]]);
  });

  test("goes on with what is left of a round when the next one arrives", () => {
    const rows = faqRows();
    arrive(rows, ["a", "b", "c"], false);
    expect(tuplesOf(rows, "a")).toEqual([["a"]]);
    arrive(rows, ["d"], true);
    expect(["a", "b", "c", "d"].map((id) => tuplesOf(rows, id).length)).toEqual([1, 1, 1, 1]);
  });

  test("covers a program once its own or a later row has arrived, or there are no more rows", () => {
    const rows = faqRows();
    expect(rows.covers("a")).toBe(false);
    arrive(rows, ["b"], false);
    expect(["a", "b", "c"].map((id) => rows.covers(id))).toEqual([true, true, false]);
    arrive(rows, [], true);
    expect(rows.covers("c")).toBe(true);
  });

  test("is wanted again while fewer rows wait than may be merged next, until there are no more", () => {
    const rows = faqRows();
    expect(rows.isWanted(2, 1000)).toBe(true);
    arrive(rows, ["a", "b"], false);
    expect(rows.isWanted(2, 1000)).toBe(false);
    // Merged once a later program is asked for.
    tuplesOf(rows, "b");
    expect(rows.isWanted(2, 1000)).toBe(true);
    arrive(rows, [], true);
    expect(rows.isWanted(2, 1000)).toBe(false);
  });

  test("follows the order of bytes, in which the database gives the rows, not that of UTF-16", () => {
    const rows = faqRows();
    // U+FF5A sorts below U+1F600 by bytes and above it by code units.
    arrive(rows, ["Z", "a", "é", "ｚ", "😀"], true);
    expect(["a", "ｚ", "😀"].map((id) => tuplesOf(rows, id).length)).toEqual([1, 1, 1]);
  });
});
