import { visible } from "../../../core/printable.ts";
import { tokenFree } from "../../shell/token-free.ts";

/** A table for a spreadsheet: the data of a page, with exact times and nothing shortened. */
export interface CsvTable {
  /** The name of the table on its page, and of the file. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CsvValue[])[];
}

export type CsvValue = string | number | boolean | null;

/** A table with a column for each entry of `columns`: the title, and the function that gives a row's value. */
export function csvTable<Row>(
  name: string,
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => CsvValue>>,
): CsvTable {
  const values = Object.values(columns);
  return { name, columns: Object.keys(columns), rows: rows.map((row) => values.map((of) => of(row))) };
}

/** A value of a document: text as it is, the rest as JSON. */
export function csvValue(value: unknown): CsvValue {
  if (value === undefined || value === null) return null;
  return typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value);
}

/**
 * P73: RFC 4180, in UTF-8 with a byte order mark, since common spreadsheets assume another encoding otherwise. They take a text
 * that begins with one of `= + - @` for a formula, which may run programs or send the sheet away. An apostrophe before the text
 * makes them show it as it is.
 *
 * Spreadsheets of many countries separate cells by semicolons. They then recognize a quotation mark only at the beginning of one
 * of their cells, so each semicolon, tab and line break inside a text begins a cell, too. Quoting alone does not help, so an
 * apostrophe is put at each of these places. Removing one at each place gives the text back.
 */
export function csvText({ columns, rows }: CsvTable): string {
  const lines = [columns, ...rows].map((cells) => cells.map(field).join(","));
  return `\ufeff${lines.map((line) => `${line}\r\n`).join("")}`;
}

function field(value: CsvValue): string {
  if (value === null) return "";
  // A number does no harm, and a negative one must stay a number for sums.
  if (typeof value === "number") return String(value);
  const safe = visible(tokenFree(String(value))).replace(formulaBegin, "$1'$2");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Spaces and quotation marks may stand before a formula. */
const formulaBegin = /(^|[;\t\r\n])([ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"']*[=+\-@＝＋－＠])/g;
