/** A view whose rows belong to programs, and `programs` itself. */
export type ProgramView = keyof typeof viewColumns;

/**
 * A column as it is read. `text` and `list` (a `text[]`) can be of any size; `fixed` cannot: numbers of a few bytes and dates.
 * `sql` is what is selected: amounts and dates as text, so that nothing is lost or shifted on the way.
 */
export interface SourceColumn {
  readonly name: string;
  readonly kind: "text" | "list" | "fixed";
  readonly sql: string;
}

/** What is read of each view beside the ids of tenant and program; of `programs` in the order of `program-row.ts`. */
export const viewColumns = {
  programs: [
    ...["name", "lifecycle_state"].map(text),
    ...["departure_date", "return_date", "capacity_total"].map(fixedAsText),
    ...["currency", "category_type", "category_subtype", "guide_name", "legacy_price"].map(text),
    ...["description", "departure_point"].map(text),
    list("marketing_tags"),
    ...["accommodation_description", "cover_url"].map(text),
    ...["gallery_urls", "included", "excluded", "visits"].map(list),
  ],
  room_prices: [fixed("occupancy"), text("amount")],
  child_prices: [fixed("min_age"), fixed("max_age"), text("amount")],
  hotel_stays: [
    fixed("position"),
    ...["name", "location"].map(text),
    ...["check_in", "check_out"].map(fixedAsText),
    fixed("star_level"),
  ],
  enrollments: [text("role"), text("status")],
  staff: [fixed("position"), ...["role", "name", "gender", "role_label"].map(text)],
  flights: [fixed("position"), ...["airline_code", "airline_logo_url"].map(text)],
  itinerary: [fixed("position"), ...["title", "description"].map(text)],
  faq: [fixed("position"), ...["question", "answer"].map(text)],
} as const satisfies Readonly<Record<string, readonly SourceColumn[]>>;

export type ChildName = keyof typeof childViews;

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

/** The columns whose values can be of any size, in the view's order. */
export function sizedColumns(view: ProgramView): readonly SourceColumn[] {
  return viewColumns[view].filter(({ kind }) => kind !== "fixed");
}

function text(name: string): SourceColumn {
  return { name, kind: "text", sql: `${name}::text` };
}

function list(name: string): SourceColumn {
  return { name, kind: "list", sql: `${name}::text[]` };
}

function fixed(name: string): SourceColumn {
  return { name, kind: "fixed", sql: name };
}

function fixedAsText(name: string): SourceColumn {
  return { name, kind: "fixed", sql: `${name}::text` };
}
