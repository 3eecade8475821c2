import { type ColumnKind, type ProgramView, sourceViews } from "./contract.ts";

/** `text` and `list` (a `text[]`) can have any size; `fixed` are integers and dates. `sql` is the selected expression. */
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
 * The condition for rows of the tenant `$1`, whose id is compared by its bytes (D130). It is compared as it is, to use an index,
 * and then as text, because types and collations such as citext and ICU treat different ids as equal. `$1` takes the column's
 * type, so it is cast, too. `nullif` wraps the second comparison, since PostgreSQL would take two plain ones for independent and
 * expect far too few rows.
 */
export const ofTenant =
  'tenant_id = $1 AND nullif(tenant_id::text COLLATE "C" = $1::text, false) IS NOT NULL';

export type ChildName = keyof typeof childViews;

const reading: Readonly<Record<ColumnKind, (name: string) => Omit<SourceColumn, "name">>> = {
  text: (name) => ({ kind: "text", sql: `${name}::text` }),
  numeric: (name) => ({ kind: "text", sql: `${name}::text` }),
  "text[]": (name) => ({ kind: "list", sql: `${name}::text[]` }),
  int: (name) => ({ kind: "fixed", sql: name }),
  date: (name) => ({ kind: "fixed", sql: `${name}::text` }),
};

/** The columns that are read from each view, beside the ids of tenant and program. */
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
