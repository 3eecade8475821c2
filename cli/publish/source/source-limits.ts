import type { SourceOversize } from "../public-program/program-source.ts";
import { type ProgramView, sourceViews } from "./contract.ts";
import { sizedColumns, viewColumns } from "./source-columns.ts";

/** How large the data of one program may be. Anything larger is not even read from the database. */
export interface SourceLimits {
  /** The bound for one text, number or list. Each element of a list counts 16 bytes more than its text. */
  readonly maxValueBytes: number;
  /** The bound for all rows that one view has of a program, and for the program's JSON. Each row counts 64 bytes more. */
  readonly maxProgramBytes: number;
}

/** The views in which nothing that a tenant has is large. Any other view is read by its guarded query. */
export type SmallViews = ReadonlySet<ProgramView>;

/** Programs fetched at a time. Two such rounds must fit into V8's young generation, or V8 copies each to the old one. */
export const programsPerRound = 64;

/** The most bytes that one round reads from a view. A single larger row is read alone. */
export const maxRoundBytes = 4 * 1024 * 1024;

/**
 * Whether nothing in a view can be too large, so that the plain query reads it: neither its largest row nor all its rows of one
 * program. This is so for nearly every tenant.
 */
export function isSmall(
  largestRow: number,
  largestProgram: number,
  { maxValueBytes, maxProgramBytes }: SourceLimits,
): boolean {
  const isRoundSmall = largestProgram * programsPerRound <= maxRoundBytes;
  return largestRow <= maxValueBytes && largestProgram <= maxProgramBytes && isRoundSmall;
}

/**
 * What makes a program too large, as its problem reports it; `null` if nothing does. `sizes` is a JSON array of the bytes of one row
 * and of its unbounded columns; `bytes` counts all rows of the view.
 */
export function oversizeOf(
  view: ProgramView,
  sizes: string | null,
  bytes: number,
  { maxValueBytes, maxProgramBytes }: SourceLimits,
): SourceOversize | null {
  if (sizes !== null) {
    const [, ...values] = JSON.parse(sizes) as (number | null)[];
    const at = values.findIndex((size) => size !== null && size > maxValueBytes);
    const column = sizedColumns(view)[at]?.name;
    if (column !== undefined) {
      const text = `${view}.${column}: ${values[at]} bytes, limit ${maxValueBytes}`;
      return { code: "value_too_large", view, column, field: publicField(view, column), text };
    }
  }
  if (bytes <= maxProgramBytes) return null;
  const text = `${view}: ${bytes} bytes, limit ${maxProgramBytes}`;
  return { code: "program_too_large", view, column: null, field: null, text };
}

/** Like `oversizeOf`, for a row of `guardedProgramsQuery`, which ends with sizes and bytes. */
export function programOversize(
  row: readonly (string | null)[],
  limits: SourceLimits,
): SourceOversize | null {
  const [sizes = null, bytes = null] = row.slice(2 + viewColumns.programs.length);
  return oversizeOf("programs", sizes, Number(bytes), limits);
}

/** The rows of a child view become one field together. */
function publicField(view: ProgramView, name: string): string | null {
  const { field, columns } = sourceViews[view];
  return field ?? columns.find(([column]) => column === name)?.[2] ?? null;
}
