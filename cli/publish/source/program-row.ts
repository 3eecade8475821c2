import { lifecycle } from "../public-program/lifecycle.ts";
import type { EnrollmentRow, ProgramSource, SourceOversize } from "../public-program/program-source.ts";
import {
  type ColumnKind,
  type ColumnValue,
  type ProgramView,
  sourceViews,
  type ViewRow,
} from "./contract.ts";
import { programViews } from "./program-queries.ts";

/** How large the data of one program may be (D37). Anything larger makes it an error. */
export interface SourceLimits {
  /** The bound for one text, number or list. Each element of a list counts 16 bytes more than its text. */
  readonly maxValueBytes: number;
  /** The bound for the rows of a program as JSON, and for the program's public JSON. */
  readonly maxProgramBytes: number;
}

/** The rows of a program by view, as `programsQuery` gives them. */
export type ProgramRows = Partial<Readonly<Record<ProgramView, readonly (readonly unknown[])[]>>>;

/**
 * Makes a program of its rows. Values get the contract's types and stay untrusted: `publicProgram` judges them. Of several rows of one
 * id, one that is to be published counts, then one with an unknown state.
 */
export function programSource(
  programId: string | null,
  rows: ProgramRows,
  oversize: SourceOversize | null,
): ProgramSource {
  const row = decisiveRow(rows.programs ?? []);
  const text = (column: ColumnOf<"text" | "numeric" | "date">) => row[positions[column]] as string | null;
  const list = (column: ColumnOf<"text[]">) => row[positions[column]] as ColumnValue<"text[]">;
  const total = row[positions.capacity_total] as string | null;
  const children = <View extends ProgramView>(view: View) => (rows[view] ?? []) as readonly ChildRow<View>[];
  return {
    programId,
    name: text("name"),
    lifecycleState: text("lifecycle_state"),
    departureDate: text("departure_date"),
    returnDate: text("return_date"),
    capacityTotal: total === null || !Number.isSafeInteger(Number(total)) ? total : Number(total),
    currency: text("currency"),
    categoryType: text("category_type"),
    categorySubtype: text("category_subtype"),
    guideName: text("guide_name"),
    legacyPrice: text("legacy_price"),
    description: text("description"),
    departurePoint: text("departure_point"),
    marketingTags: list("marketing_tags"),
    accommodationDescription: text("accommodation_description"),
    coverUrl: text("cover_url"),
    galleryUrls: list("gallery_urls"),
    included: list("included"),
    excluded: list("excluded"),
    visits: list("visits"),
    roomPrices: byText(children("room_prices")),
    childPrices: byText(children("child_prices")),
    hotelStays: byPosition(children("hotel_stays")),
    enrollments: byText(
      children("enrollments").map(([status, role, enrolled]): EnrollmentRow => [role, status, enrolled]),
    ),
    staff: byPosition(children("staff")),
    flights: byPosition(children("flights")),
    itinerary: byPosition(children("itinerary")),
    faq: byPosition(children("faq")),
    oversize,
  };
}

/** A program of which only the state is known. */
export function bareSource(
  programId: string | null,
  states: readonly (string | null)[],
  oversize: SourceOversize | null,
): ProgramSource {
  const rows = states.map((state) =>
    sourceViews.programs.columns.map(([name]) => (name === "lifecycle_state" ? state : null)),
  );
  return programSource(programId, { programs: rows }, oversize);
}

type ProgramColumn = (typeof sourceViews.programs.columns)[number];
type ColumnOf<Kind extends ColumnKind> = Extract<ProgramColumn, readonly [string, Kind, unknown, string]>[0];

const positions = Object.fromEntries(
  sourceViews.programs.columns.map(([name], at) => [name, at]),
) as Readonly<Record<ProgramColumn[0], number>>;

/** Enrollments are counted by the query. */
type ChildRow<View extends ProgramView> = View extends "enrollments"
  ? readonly [...ViewRow<"enrollments">, enrolled: number]
  : ViewRow<View>;

const ranks = { publishable: 0, unknown: 1, unpublished: 2 };

function decisiveRow(rows: readonly (readonly unknown[])[]): readonly unknown[] {
  const [first = []] = rows;
  if (rows.length <= 1) return first;
  const rank = (row: readonly unknown[]): number =>
    ranks[lifecycle((row[positions.lifecycle_state] ?? null) as string | null).kind];
  const text = (row: readonly unknown[]): string => JSON.stringify(row);
  // The database gives such rows in any order.
  return [...rows].sort((a, b) => rank(a) - rank(b) || compareTexts(text(a), text(b)))[0] ?? first;
}

/** Rows without a position come in any order, which depends on how many programs are read; findings name their places. */
function byText<Row extends readonly unknown[]>(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((a, b) => compareTexts(JSON.stringify(a), JSON.stringify(b)));
}

type Positioned<Rest extends readonly unknown[]> = readonly [position: number | null, ...Rest];

/**
 * Orders rows by position, NULL last, and ties by their text (D39), whatever order the database gives. The position is not
 * published, so it is cut off.
 */
export function byPosition<Rest extends readonly unknown[]>(rows: readonly Positioned<Rest>[]): Rest[] {
  // Rows nearly always come in order, and sorting makes several arrays even for one row.
  const isOrdered = rows.every((row, at) => at === 0 || comparePositions(rows[at - 1] ?? row, row) <= 0);
  return (isOrdered ? rows : [...rows].sort(comparePositions)).map(([, ...rest]) => rest);
}

function comparePositions(a: Positioned<readonly unknown[]>, b: Positioned<readonly unknown[]>): number {
  const [first, second] = [a[0] ?? Number.POSITIVE_INFINITY, b[0] ?? Number.POSITIVE_INFINITY];
  if (first !== second) return first < second ? -1 : 1;
  return compareTexts(JSON.stringify(a), JSON.stringify(b));
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** D37: the first value that was cut in the database, since it has more than `maxBytes`; `null` when there is none. */
export function oversizeIn(rows: ProgramRows, maxBytes: number): SourceOversize | null {
  for (const view of programViews) {
    const { field, columns } = sourceViews[view];
    for (const [at, [column, , ownField]] of columns.entries()) {
      const bytes = (rows[view] ?? []).reduce((most, row) => Math.max(most, bytesOfCut(row[at])), 0);
      if (bytes === 0) continue;
      const text = `${view}.${column}: ${bytes} bytes, limit ${maxBytes}`;
      // The rows of a child view become one field together.
      return { code: "value_too_large", view, column, field: field ?? ownField, text };
    }
  }
  return null;
}

function bytesOfCut(value: unknown): number {
  return typeof value === "object" && value !== null && "bytes" in value ? Number(value.bytes) : 0;
}
