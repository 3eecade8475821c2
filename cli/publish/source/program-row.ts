import { lifecycle, type ProgramSource, type SourceOversize } from "../public-program/program-source.ts";
import { type ProgramView, sourceViews } from "./contract.ts";
import { programViews } from "./program-queries.ts";

/** How large the data of one program may be (D37). Anything larger makes it an error. */
export interface SourceLimits {
  /** The bound for one text, number or list. Each element of a list counts 16 bytes more than its text. */
  readonly maxValueBytes: number;
  /** The bound for the rows of a program as JSON, and for the program's public JSON. */
  readonly maxProgramBytes: number;
}

type Row = readonly unknown[];
/** The rows of a program by view, as `programsQuery` gives them. */
export type ProgramRows = Partial<Readonly<Record<ProgramView, readonly Row[]>>>;

/**
 * Makes a program of its rows: each column becomes the field of its name (`departure_date`: `departureDate`),
 * and so does each child view. Values have the contract's types and stay untrusted: `publicProgram` judges
 * them. Of several rows of one id, one that is to be published counts, then one with an unknown state.
 */
export function programSource(
  programId: string | null,
  rows: ProgramRows,
  oversize: SourceOversize | null,
): ProgramSource {
  const source: Record<string, unknown> = { programId, oversize };
  const row = decisiveRow(rows.programs ?? []);
  for (const [at, field] of programFields.entries()) source[field] = row[at] ?? null;
  const enrollments = rows.enrollments?.map(([status, role, count]) => [role, status, count]);
  for (const [view, field] of childFields) {
    source[field] = orderedRows(view, (view === "enrollments" ? enrollments : rows[view]) ?? []);
  }
  const total = Number(source.capacityTotal ?? Number.NaN);
  if (Number.isSafeInteger(total)) source.capacityTotal = total;
  return source as unknown as ProgramSource;
}

/** A program of which only the states of its rows are known. */
export function bareSource(
  programId: string | null,
  states: readonly (string | null)[],
  oversize: SourceOversize | null,
): ProgramSource {
  const rows = states.map((state) => programFields.map((_, at) => (at === statePlace ? state : null)));
  return programSource(programId, { programs: rows }, oversize);
}

export function fieldOf(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const programFields = sourceViews.programs.columns.map(([name]) => fieldOf(name));
const childFields = programViews
  .filter((view) => view !== "programs")
  .map((view) => [view, fieldOf(view)] as const);
const statePlace = programFields.indexOf("lifecycleState");
const ranks = { publishable: 0, unknown: 1, unpublished: 2 };

function decisiveRow(rows: readonly Row[]): Row {
  if (rows.length <= 1) return rows[0] ?? [];
  const rank = (row: Row): number => ranks[lifecycle((row[statePlace] ?? null) as string | null).kind];
  // The database gives such rows in any order.
  return [...rows].sort((a, b) => rank(a) - rank(b) || compareTexts(a, b))[0] ?? [];
}

/**
 * Orders the rows of a child view by position, NULL last, and ties by their text (D39), whatever order the
 * database gives, and cuts the position off. Rows without positions are ordered, too: findings name places.
 */
export function orderedRows(view: ProgramView, rows: readonly Row[]): readonly Row[] {
  const hasPosition = sourceViews[view].columns[0]?.[0] === "position";
  const place = (row: Row | undefined): number =>
    hasPosition ? ((row?.[0] ?? Number.POSITIVE_INFINITY) as number) : 0;
  // Two infinite places differ by NaN.
  const compare = (a: Row, b: Row): number => place(a) - place(b) || compareTexts(a, b);
  // Rows nearly always come in order, and sorting makes several arrays even for one row.
  const isOrdered = rows.every((row, at) => at === 0 || compare(rows[at - 1] ?? row, row) <= 0);
  const ordered = isOrdered ? rows : [...rows].sort(compare);
  return hasPosition ? ordered.map(([, ...rest]) => rest) : ordered;
}

function compareTexts(a: Row, b: Row): number {
  const [text, other] = [JSON.stringify(a), JSON.stringify(b)];
  return text === other ? 0 : text < other ? -1 : 1;
}

/** D37: the first column with a value of more than `maxBytes`; `null` when there is none. */
export function oversizeIn(rows: ProgramRows, maxBytes: number): SourceOversize | null {
  for (const view of programViews) {
    const { field, columns } = sourceViews[view];
    for (const [at, [column, , ownField]] of columns.entries()) {
      const bytes = (rows[view] ?? []).reduce((most, row) => Math.max(most, bytesOf(row[at])), 0);
      if (bytes <= maxBytes) continue;
      const text = `${view}.${column}: ${bytes} bytes, limit ${maxBytes}`;
      // The rows of a child view become one field together.
      return { code: "value_too_large", view, column, field: field ?? ownField, text };
    }
  }
  return null;
}

/** Elements of a list that are lists themselves add nothing of their own. */
function bytesOf(value: unknown): number {
  if (!Array.isArray(value)) return typeof value === "string" ? Buffer.byteLength(value) : 0;
  return value.flat(6).reduce((sum: number, element) => sum + bytesOf(element) + 16, 0);
}
