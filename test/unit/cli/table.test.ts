import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { displayWidth } from "../../../cli/output/display-width.ts";
import { type Column, table } from "../../../cli/output/table.ts";

const columns: readonly Column[] = [
  { title: "TENANT" },
  { title: "SNAPSHOT" },
  { title: "PROGRAMS", align: "right" },
  { title: "LAST TRY" },
];
const row = ["acme", "20261121T120000Z-0a1b2c3d", "12", "published 3 minutes ago"];

describe("a table", () => {
  test("P81 has a line per row on a pipe, however long", () => {
    const long = row.map((cell) => cell.repeat(20));
    expect(table(columns, [row, long], Number.POSITIVE_INFINITY).split("\n")).toHaveLength(4);
  });

  test("gives text several lines where it is too wide", () => {
    expect(table(columns, [row], 62)).toBe(
      [
        "TENANT  SNAPSHOT                   PROGRAMS  LAST TRY",
        "acme    20261121T120000Z-0a1b2c3d        12  published 3",
        "                                             minutes ago",
        "",
      ].join("\n"),
    );
  });

  test("becomes a block per row where nothing else helps, with an overlong word on a line of its own", () => {
    const long = ["beta", "x".repeat(45), "0", "failed"];
    expect(table(columns, [row, long], 40)).toBe(
      [
        "acme",
        "  SNAPSHOT  20261121T120000Z-0a1b2c3d",
        "  PROGRAMS  12",
        "  LAST TRY  published 3 minutes ago",
        "beta",
        "  SNAPSHOT",
        `    ${"x".repeat(45)}`,
        "  PROGRAMS  0",
        "  LAST TRY  failed",
        "",
      ].join("\n"),
    );
  });

  test("keeps a colour within its line", () => {
    const coloured = "\u001b[32mlive, held\u001b[39m for a long time by somebody";
    for (const line of table(columns, [["acme", "s", "1", coloured]], 40).split("\n")) {
      expect(line.split("\u001b[32m")).toHaveLength(line.split("\u001b[39m").length);
    }
  });

  test("P81 fits its width but for words that are longer, and loses none", () => {
    const word = fc.stringMatching(/^[a-zäあ0-9._~-]{1,70}$/);
    const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
    const rows = fc.array(fc.tuple(word, text, fc.nat().map(String), text), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.constantFrom(40, 60, 80, 120), (cells, width) => {
        const printed = table(columns, cells, width);
        const printedWords = new Set(printed.split(/\s+/));
        for (const each of cells.flat().flatMap((cell) => cell.split(" ")))
          expect(printedWords).toContain(each);
        for (const line of printed.split("\n")) {
          if (displayWidth(line) > width) expect(line.trim()).not.toContain(" ");
        }
      }),
    );
  });
});
