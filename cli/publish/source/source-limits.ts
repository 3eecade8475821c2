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

export function sourceLimits(settings: {
  readonly maxValueKb: number;
  readonly maxProgramKb: number;
}): SourceLimits {
  return { maxValueBytes: settings.maxValueKb * 1024, maxProgramBytes: settings.maxProgramKb * 1024 };
}

/** Upper bounds for a tenant's rows in one view: the bytes of a single row, and of all rows of one program. */
interface ViewSize {
  readonly largestRow: number;
  readonly largestProgram: number;
}

/** The sizes of a tenant's views. A view that is not in here counts as large. */
export type SourceSizes = Partial<Readonly<Record<ProgramView, ViewSize>>>;

export interface Oversize {
  readonly view: ProgramView;
  /** `null` when all that the view has of the program is too large together. */
  readonly column: string | null;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** Programs fetched at a time. Two such rounds must fit into V8's young generation, or V8 copies each to the old one. */
export const programsPerRound = 64;

/** The most bytes that one round reads from a view. A single larger row is read alone. */
export const maxRoundBytes = 4 * 1024 * 1024;

/** A program whose rows in all views together take no more than this is small in each view. */
export function maxSmallBytes({ maxValueBytes, maxProgramBytes }: SourceLimits): number {
  return Math.min(maxRoundBytes / programsPerRound, maxValueBytes, maxProgramBytes);
}

/** The sizes of the views when all programs are small. */
export function smallSizes(limits: SourceLimits): SourceSizes {
  const size = { largestRow: maxSmallBytes(limits), largestProgram: maxSmallBytes(limits) };
  const views = Object.keys(sourceViews).filter((view) => view !== "tenants");
  return Object.fromEntries(views.map((view) => [view, size]));
}

/** Whether nothing in the view can be too large, so that the plain query reads it. This is so for nearly every tenant. */
export function isSmall(size: ViewSize | undefined, limits: SourceLimits): boolean {
  if (size === undefined || size.largestRow > limits.maxValueBytes) return false;
  return (
    size.largestProgram * programsPerRound <= maxRoundBytes && size.largestProgram <= limits.maxProgramBytes
  );
}

/**
 * What makes a program too large; `undefined` if nothing does. `sizes` is a JSON array of the bytes of one row and of its
 * unbounded columns; `bytes` counts all rows of the view.
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

/** The rows of a child view become one field together. */
function publicField(view: ProgramView, name: string): string | null {
  const { field, columns } = sourceViews[view];
  return field ?? columns.find(([column]) => column === name)?.[2] ?? null;
}
