import { visible } from "../../../core/printable.ts";
import { tokenFree } from "../../shell/token-free.ts";

/** A table for a spreadsheet: what a page shows, with exact times and nothing shortened. */
export interface CsvTable {
  /** Within its page, also of the file. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CsvValue[])[];
}

export type CsvValue = string | number | boolean | null;

/** A table with a column for each entry of `columns`: its title, and what a row has there. */
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
 * P73: RFC 4180, in UTF-8 with a byte order mark, without which common spreadsheets take it for another encoding. They take a text
 * that begins with one of `= + - @` for a formula, which may run programs or send the sheet away: an apostrophe goes before
 * it. So they show what was written.
 *
 * Spreadsheets of many countries separate cells by semicolons. They then know a quotation mark only where one of their cells begins,
 * so that each semicolon, tab and line break inside a text begins a cell, too. Quoting alone does not help; there is
 * an apostrophe at each of these places. Taking away one at each gives the text back.
 */
export function csvText({ columns, rows }: CsvTable): string {
  const lines = [columns, ...rows].map((cells) => cells.map(field).join(","));
  return `\ufeff${lines.map((line) => `${line}\r\n`).join("")}`;
}

function field(value: CsvValue): string {
  if (value === null) return "";
  // A number can do no harm, and a negative one is to be added up.
  if (typeof value === "number") return String(value);
  const safe = visible(tokenFree(String(value))).replace(formulaBegin, "$1'$2");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Spaces and quotation marks may stand before a formula. */
const formulaBegin = /(^|[;\t\r\n])([ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"']*[=+\-@＝＋－＠])/g;
