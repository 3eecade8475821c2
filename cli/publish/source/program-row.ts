import { lifecycle } from "../public-program/lifecycle.ts";
import type { EnrollmentRow, ProgramSource, SourceOversize } from "../public-program/program-source.ts";
import { type ColumnKind, type ColumnValue, sourceViews, type ViewRow } from "./contract.ts";
import type { ChildView } from "./source-columns.ts";

/**
 * Makes a program from a row of `programsQuery`, whose columns are text, and its children as JSON. Values get the contract's
 * types and stay untrusted: `publicProgram` judges them. The children of an unpublished program are not even parsed.
 */
export function programSource(
  row: readonly (string | null)[],
  jsonOf: (view: ChildView) => string,
  oversize: SourceOversize | null,
): ProgramSource {
  const text = (column: ColumnOf<"text" | "numeric" | "date">): string | null =>
    row[positions[column]] ?? null;
  const int = (column: ColumnOf<"int">): number | string | null => {
    const digits = row[positions[column]] ?? null;
    const value = Number(digits);
    return digits === null || !Number.isSafeInteger(value) ? digits : value;
  };
  const list = (column: ColumnOf<"text[]">): ColumnValue<"text[]"> =>
    JSON.parse(row[positions[column]] ?? "null");
  const isPublished = lifecycle(text("lifecycle_state")).kind === "publishable";
  const rowsOf = <View extends ChildView>(view: View): ChildTuple<View>[] => {
    const json = jsonOf(view);
    return isPublished ? JSON.parse(json) : [];
  };
  return {
    programId: row[0] ?? null,
    name: text("name"),
    lifecycleState: text("lifecycle_state"),
    departureDate: text("departure_date"),
    returnDate: text("return_date"),
    capacityTotal: int("capacity_total"),
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
    roomPrices: rowsOf("room_prices"),
    childPrices: rowsOf("child_prices"),
    hotelStays: byPosition(rowsOf("hotel_stays")),
    enrollments: rowsOf("enrollments").map(
      ([status, role, enrolled]): EnrollmentRow => [role, status, enrolled],
    ),
    staff: byPosition(rowsOf("staff")),
    flights: byPosition(rowsOf("flights")),
    itinerary: byPosition(rowsOf("itinerary")),
    faq: byPosition(rowsOf("faq")),
    oversize,
  };
}

type ProgramColumn = (typeof sourceViews.programs.columns)[number];
type ColumnOf<Kind extends ColumnKind> = Extract<ProgramColumn, readonly [string, Kind, unknown, string]>[0];

/** The position of each column in `programsQuery`, after the ids of program and tenant. */
const positions = Object.fromEntries(
  sourceViews.programs.columns.map(([name], at) => [name, at + 2]),
) as Readonly<Record<ProgramColumn[0], number>>;

/** A tuple of a child query. Enrollments are counted by the query. */
type ChildTuple<View extends ChildView> = View extends "enrollments"
  ? readonly [...ViewRow<"enrollments">, enrolled: number]
  : ViewRow<View>;

type Positioned<Rest extends readonly unknown[]> = readonly [position: number | null, ...Rest];

/**
 * Orders rows by position, NULL last, and ties by their text (D39), whatever order the database gives. The position is not
 * published, so it is cut off.
 */
export function byPosition<Rest extends readonly unknown[]>(tuples: Positioned<Rest>[]): Rest[] {
  // Rows nearly always come in order, and `sort` creates several arrays even for one tuple.
  const ordered = isOrdered(tuples) ? tuples : tuples.sort(comparePositions);
  return ordered.map(([, ...rest]) => rest);
}

function isOrdered(tuples: readonly Positioned<readonly unknown[]>[]): boolean {
  return tuples.every((tuple, at) => {
    const before = tuples[at - 1];
    return before === undefined || comparePositions(before, tuple) <= 0;
  });
}

function comparePositions(a: Positioned<readonly unknown[]>, b: Positioned<readonly unknown[]>): number {
  const [first, second] = [positionOf(a), positionOf(b)];
  if (first !== second) return first < second ? -1 : 1;
  const [text, other] = [JSON.stringify(a), JSON.stringify(b)];
  return text === other ? 0 : text < other ? -1 : 1;
}

function positionOf(tuple: Positioned<readonly unknown[]>): number {
  return tuple[0] ?? Number.POSITIVE_INFINITY;
}
