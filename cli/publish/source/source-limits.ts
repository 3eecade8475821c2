import { type ProgramView, sourceViews } from "./contract.ts";

/** How large the data of one program may be; what is larger does not even cross from the database. */
export interface SourceLimits {
  /** Of one text, number or list. A list's element counts 16 bytes beside its own. */
  readonly maxValueBytes: number;
  /** Of what one view has of a program (a row counts 64 bytes beside its values), and of the program's JSON. */
  readonly maxProgramBytes: number;
}

/** The settings say it in KB. */
export function sourceLimits(settings: {
  readonly maxValueKb: number;
  readonly maxProgramKb: number;
}): SourceLimits {
  return { maxValueBytes: settings.maxValueKb * 1024, maxProgramBytes: settings.maxProgramKb * 1024 };
}

/** How large, at most, a tenant's rows of one view are, and all of them that belong to one program. */
export interface ViewSize {
  readonly largestRow: number;
  readonly largestProgram: number;
}

/** Views that are missing have no size known, and count as large. */
export type SourceSizes = Partial<Readonly<Record<ProgramView, ViewSize>>>;

/** Why a program is not read whole. */
export interface Oversize {
  readonly view: ProgramView;
  /** `null`: what the view has of the program is too large as a whole. */
  readonly column: string | null;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** Programs fetched at a time: two such rounds must fit into V8's young generation, or each is copied to the old one. */
export const programsPerRound = 64;

/** What one view may bring into memory in one round, but for a single row that is larger. */
export const maxRoundBytes = 4 * 1024 * 1024;

/** Programs whose rows in all views take no more than this are small in each view. */
export function maxSmallBytes({ maxValueBytes, maxProgramBytes }: SourceLimits): number {
  return Math.min(maxRoundBytes / programsPerRound, maxValueBytes, maxProgramBytes);
}

/** What is known of the views when all programs are small. */
export function smallSizes(limits: SourceLimits): SourceSizes {
  const size = { largestRow: maxSmallBytes(limits), largestProgram: maxSmallBytes(limits) };
  const views = Object.keys(sourceViews).filter((view) => view !== "tenants");
  return Object.fromEntries(views.map((view) => [view, size]));
}

/**
 * Whether no value and no program of the view can be too large, and no round either: then it is read by the plain query.
 * Nearly every tenant's views are like this, and pay nothing for the limits.
 */
export function isSmall(size: ViewSize | undefined, limits: SourceLimits): boolean {
  if (size === undefined || size.largestRow > limits.maxValueBytes) return false;
  return (
    size.largestProgram * programsPerRound <= maxRoundBytes && size.largestProgram <= limits.maxProgramBytes
  );
}
