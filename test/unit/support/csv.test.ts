import fc from "fast-check";
import { expect, test } from "vitest";
import { csvText } from "../../../cli/support/pages/csv.ts";
import { sized } from "../../support/quick-pass.ts";

/**
 * The cells as a spreadsheet finds them that takes these characters for separators: a quotation mark means something only at
 * a cell's beginning, and what follows the closing one belongs to the cell as it is.
 */
function cellsOf(csv: string, separators: string): readonly (readonly string[])[] {
  const text = csv.replace("\ufeff", "");
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      at += 1;
      for (; at < text.length; at += 1) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') {
          cell += '"';
          at += 1;
        } else break;
      }
      at += 1;
    }
    for (
      ;
      at < text.length && !separators.includes(text[at] ?? "") && !/[\r\n]/.test(text[at] ?? "");
      at += 1
    )
      cell += text[at];
    row.push(cell);
    if (at < text.length && separators.includes(text[at] ?? "")) at += 1;
    else {
      at += text.startsWith("\r\n", at) ? 2 : 1;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

const locales = [",", ";", "\t", ",;\t"];

function formulasIn(csv: string, separators: string): readonly string[] {
  return cellsOf(csv, separators)
    .flat()
    .filter((cell) => /^[\p{Zs}"]*[=+\-@＝＋－＠]/u.test(cell));
}

/** What a reader of the file does to have the text as it was. */
function withoutApostrophes(cell: string): string {
  return cell.replace(/(^|[;\t\r\n])'(?=[\p{Zs}"']*[=+\-@＝＋－＠])/gu, "$1");
}

function table(...texts: readonly string[]): string {
  return csvText({ name: "t", columns: ["id", "text", "more"], rows: texts.map((text) => ["A-1", text, 7]) });
}

test.each([
  "Alps;=40+2;Tour",
  "=40+2",
  'Alps;"=40+2"',
  "Alps; =40+2",
  "Alps\n=40+2",
  "Alps\t=40+2",
  "a,b;@SUM(1)",
  "Alps;＝40+2",
])("P73: %j is a formula in no locale, and can be had back", (text) => {
  const csv = table(text);
  for (const locale of locales) expect(formulasIn(csv, locale), JSON.stringify(locale)).toEqual([]);
  expect(withoutApostrophes(cellsOf(csv, ",")[1]?.[1] ?? "")).toBe(text);
  // Also where the columns are not the last word: the row has its three cells.
  expect(cellsOf(csv, ",;\t")[1]).toHaveLength(3);
});

test("P73: an ordinary text stays as it is, and a negative number a number", () => {
  expect(csvText({ name: "t", columns: ["a"], rows: [["Temples; gardens - and tea"], [-5]] })).toBe(
    '\ufeffa\r\n"Temples; gardens - and tea"\r\n-5\r\n',
  );
});

test("P73: no text makes a formula of a cell, and each can be had back", () => {
  const piece = fc.constantFrom(..."=+-@＝;,\t\n\"' x1".split(""), "Alps", "\u00a0");
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (texts) => {
      const csv = table(...texts);
      for (const locale of locales) expect(formulasIn(csv, locale)).toEqual([]);
      const back = cellsOf(csv, ",").slice(1);
      expect(back.map(([, cell]) => withoutApostrophes(cell ?? ""))).toEqual(texts);
    }),
    { numRuns: sized({ whole: 20_000, quick: 1000 }) },
  );
});
