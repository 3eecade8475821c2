import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";

/** The value of a column. An array is a `text[]`. */
export type SampleCell = string | number | null | readonly string[];

/** A table of the sample, and the rows that each origin (a company or a program) gives. */
export interface SampleTable<Origin> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rowsOf: (origin: Origin) => readonly (readonly SampleCell[])[];
}

/** Rows of one table in COPY's text format. */
export interface CopyBatch {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly text: Buffer;
}

/** The rows of a table for these origins. The batch is held in memory as a whole. */
export function copyBatch<Origin>(
  { name, columns, rowsOf }: SampleTable<Origin>,
  origins: readonly Origin[],
): CopyBatch {
  let text = "";
  let count = 0;
  for (const origin of origins) {
    for (const row of rowsOf(origin)) {
      text += copyLine(row);
      count += 1;
    }
  }
  return { table: name, columns, rows: count, text: Buffer.from(text) };
}

/**
 * Sends the batch into its table, which was emptied in the same transaction. `FREEZE` requires that, and it saves the first
 * readers from marking every row as visible.
 */
export async function copyRows(client: pg.Client, { table, columns, text }: CopyBatch): Promise<void> {
  const copy = copyFrom(`COPY booking.${table} (${columns.join(", ")}) FROM STDIN (FREEZE)`);
  await pipeline(Readable.from([text]), client.query(copy));
}

/** One row in COPY's text format. */
export function copyLine(row: readonly SampleCell[]): string {
  return `${row.map(copyField).join("\t")}\n`;
}

function copyField(cell: SampleCell): string {
  if (cell === null) return "\\N";
  if (typeof cell === "number") return String(cell);
  const text = typeof cell === "string" ? cell : arrayLiteral(cell);
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? "");
}

/** PostgreSQL's own text form of a `text[]`. */
function arrayLiteral(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
