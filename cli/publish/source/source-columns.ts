import { type ColumnKind, type ProgramView, sourceViews } from "./contract.ts";

/**
 * A column as it is read. `text` and `list` (a `text[]`) can be of any size; `fixed` cannot: numbers of a few bytes and dates.
 * `sql` is what is selected: amounts and dates as text, so that nothing is lost or shifted on the way.
 */
export interface SourceColumn {
  readonly name: string;
  readonly kind: "text" | "list" | "fixed";
  readonly sql: string;
}

/** The child views by the property of `ProgramSource` that holds their rows. */
export const childViews = {
  roomPrices: "room_prices",
  childPrices: "child_prices",
  hotelStays: "hotel_stays",
  enrollments: "enrollments",
  staff: "staff",
  flights: "flights",
  itinerary: "itinerary",
  faq: "faq",
} as const satisfies Readonly<Record<string, ProgramView>>;

/**
 * D130: the rows of the tenant `$1`, by the bytes of its id. A type or a collation may call different ids equal (citext, ICU), so the
 * id is compared as it is, for its index, and then as text. `$1` takes the type of the column, so it needs a cast, too. As a plain
 * comparison the second one would make PostgreSQL expect far too few rows: it takes the two for independent.
 */
export const ofTenant =
  'tenant_id = $1 AND nullif(tenant_id::text COLLATE "C" = $1::text, false) IS NOT NULL';

export type ChildName = keyof typeof childViews;

/** How the values of each kind are read. */
const reading: Readonly<Record<ColumnKind, (name: string) => Omit<SourceColumn, "name">>> = {
  text: (name) => ({ kind: "text", sql: `${name}::text` }),
  numeric: (name) => ({ kind: "text", sql: `${name}::text` }),
  "text[]": (name) => ({ kind: "list", sql: `${name}::text[]` }),
  int: (name) => ({ kind: "fixed", sql: name }),
  date: (name) => ({ kind: "fixed", sql: `${name}::text` }),
};

/** What is read of each view beside the ids of tenant and program. */
export const viewColumns: Readonly<Record<ProgramView, readonly SourceColumn[]>> = {
  programs: columnsOf("programs"),
  room_prices: columnsOf("room_prices"),
  child_prices: columnsOf("child_prices"),
  hotel_stays: columnsOf("hotel_stays"),
  enrollments: columnsOf("enrollments"),
  staff: columnsOf("staff"),
  flights: columnsOf("flights"),
  itinerary: columnsOf("itinerary"),
  faq: columnsOf("faq"),
};

/** The columns whose values can be of any size, in the view's order. */
export function sizedColumns(view: ProgramView): readonly SourceColumn[] {
  return viewColumns[view].filter(({ kind }) => kind !== "fixed");
}

function columnsOf(view: ProgramView): readonly SourceColumn[] {
  return sourceViews[view].columns.map(([name, kind]) => ({ name, ...reading[kind](name) }));
}
