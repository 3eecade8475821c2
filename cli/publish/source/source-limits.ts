import { type ProgramView, sourceViews } from "./contract.ts";

/** How large the data of one program may be. Anything larger is not even read from the database. */
export interface SourceLimits {
  /** The bound for one text, number or list. Each element of a list counts 16 bytes more than its text. */
  readonly maxValueBytes: number;
  /**
   * The bound for all rows that one view has of a program, and for the program's JSON. Each row counts 64 bytes more than its
   * values.
   */
  readonly maxProgramBytes: number;
}

/** The limits in bytes; the settings have them in KB. */
export function sourceLimits(settings: {
  readonly maxValueKb: number;
  readonly maxProgramKb: number;
}): SourceLimits {
  return { maxValueBytes: settings.maxValueKb * 1024, maxProgramBytes: settings.maxProgramKb * 1024 };
}

/** Upper bounds for a tenant's rows in one view: the bytes of a single row, and of all rows of one program. */
export interface ViewSize {
  readonly largestRow: number;
  readonly largestProgram: number;
}

/** The sizes of a tenant's views. A view that is not in here counts as large. */
export type SourceSizes = Partial<Readonly<Record<ProgramView, ViewSize>>>;

/** What is too large about a program. */
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

/**
 * Whether no value, program or round of the view can be too large. Then the plain query reads it. This is so for nearly every
 * tenant, so the limits cost next to nothing.
 */
export function isSmall(size: ViewSize | undefined, limits: SourceLimits): boolean {
  if (size === undefined || size.largestRow > limits.maxValueBytes) return false;
  return (
    size.largestProgram * programsPerRound <= maxRoundBytes && size.largestProgram <= limits.maxProgramBytes
  );
}
