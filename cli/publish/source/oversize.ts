import type { SourceOversize } from "../public-program/program-source.ts";
import { type ProgramView, sourceViews } from "./contract.ts";
import { sizedColumns, viewColumns } from "./source-columns.ts";
import type { Oversize, SourceLimits } from "./source-limits.ts";

/**
 * What makes a program too large, according to a guarded query of the view. `undefined` when it is not too large. `sizes` is a
 * JSON array of the bytes of one row and of its unbounded columns; `bytes` counts all the rows.
 */
export function oversizeOf(
  view: ProgramView,
  sizes: string | null,
  bytes: number,
  { maxValueBytes, maxProgramBytes }: SourceLimits,
): Oversize | undefined {
  if (sizes !== null) {
    const [, ...values] = JSON.parse(sizes) as (number | null)[];
    const at = values.findIndex((size) => size !== null && size > maxValueBytes);
    const column = sizedColumns(view)[at];
    if (column !== undefined) {
      return { view, column: column.name, bytes: values[at] ?? 0, maxBytes: maxValueBytes };
    }
  }
  return bytes > maxProgramBytes ? { view, column: null, bytes, maxBytes: maxProgramBytes } : undefined;
}

/** Like `oversizeOf`, for a row of `guardedProgramsQuery`, which ends with sizes and bytes. */
export function programOversize(row: readonly (string | null)[], limits: SourceLimits): Oversize | undefined {
  const [sizes = null, bytes = null] = row.slice(2 + viewColumns.programs.length);
  return oversizeOf("programs", sizes, Number(bytes), limits);
}

/** The oversize as the program's problem reports it. */
export function shownOversize({ view, column, bytes, maxBytes }: Oversize): SourceOversize {
  const sizes = `${bytes} bytes, limit ${maxBytes}`;
  if (column === null)
    return { code: "program_too_large", view, column, field: null, text: `${view}: ${sizes}` };
  const field = publicField(view, column);
  return { code: "value_too_large", view, column, field, text: `${view}.${column}: ${sizes}` };
}

/** The public field that the column would have become. The rows of a child view become one field together. */
function publicField(view: ProgramView, name: string): string | null {
  const { field, columns } = sourceViews[view];
  return field ?? columns.find(([column]) => column === name)?.[2] ?? null;
}
