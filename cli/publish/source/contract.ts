/** The kinds of columns, and PostgreSQL's type for each. `check-structure.ts` has all types of each kind. */
export const sqlTypes = {
  text: "text",
  int: "integer",
  numeric: "numeric",
  date: "date",
  "text[]": "text[]",
} as const;

export type ColumnKind = keyof typeof sqlTypes;

/**
 * D131: the calendar date of a column with a time of day, `value`, by what the column holds. No form depends
 * on the session's time zone, which differs between `psql` and a build: what looks right there is right here.
 */
export const dateForms = {
  localTime: "value::date",
  utc: "(value AT TIME ZONE 'UTC' AT TIME ZONE 'your/Zone')::date",
  timestamptz: "(value AT TIME ZONE 'your/Zone')::date",
} as const;

/** A timestamp without a zone does not say whether its times are local ones. */
export const howToTellUtc =
  "to tell, look at a departure whose local time you know: stored in UTC, it is off by the offset of your zone";

/**
 * A column, the public field that it becomes, if any, and words for the author of the views. In a child view,
 * `field` is the field within an element.
 */
type ColumnDescription = readonly [name: string, kind: ColumnKind, field: string | null, words: string];

interface ViewDescription {
  /** What the rows are, for the author of the views. */
  readonly what: string;
  /** The public field whose elements the rows of a child view become. */
  readonly field: string | null;
  /** The columns after `tenant_id` and `program_id`. The view `tenants` has no `program_id`. */
  readonly columns: readonly ColumnDescription[];
}

function view(what: string, field: string | null, columns: readonly ColumnDescription[]): ViewDescription {
  return { what, field, columns };
}

/**
 * The ten views of the schema `partner_source` with their columns in order: all that the generator reads of a
 * booking database. Queries, parsers, empty views, the skeleton, checks and the findings' fields are made
 * from it.
 */
export const sourceViews = {
  tenants: view("Required. A row for each company whose programs partners read.", null, [
    ["name", "text", null, "for your own people; partners do not see it"],
  ]),
  programs: view("Required. A row for each tour, in whatever state; only active ones are published.", null, [
    ["name", "text", "name", "an active program needs one"],
    ["lifecycle_state", "text", "lifecycle_state", "active, draft, cancelled, completed, archived or ended"],
    ["departure_date", "date", "departureDate", "the first day, where the tour begins"],
    ["return_date", "date", "returnDate", "the last day; the duration follows from both"],
    ["capacity_total", "int", "capacity.total", "places in all, those that are taken included"],
    ["currency", "text", "currency", "three letters (ISO 4217), for all amounts of the program"],
    ["category_type", "text", "category.type", "what kind of tour it is, in your words"],
    ["category_subtype", "text", "category.subtype", "a finer kind"],
    ["guide_name", "text", "guide.name", "shown as the guide where the view staff has no lead guide"],
    ["legacy_price", "numeric", "prices.rooms", "used where room_prices has none"],
    ["description", "text", "description", "what partners see as the program's text"],
    ["departure_point", "text", "departurePoint", "where the tour begins"],
    ["marketing_tags", "text[]", "marketingTags", "labels: ARRAY['family', 'unesco']"],
    ["accommodation_description", "text", "content.accommodationDescription", "where people stay"],
    ["cover_url", "text", "media.coverUrl", "one complete https address"],
    ["gallery_urls", "text[]", "media.galleryUrls", "complete https addresses, in order"],
    ["included", "text[]", "content.included", "what the price includes, a text for each thing"],
    ["excluded", "text[]", "content.excluded", "what it does not include"],
    ["visits", "text[]", "content.visits", "places that are visited"],
  ]),
  room_prices: view("A row for each price per person by how many share a room.", "prices.rooms", [
    ["occupancy", "int", "occupancy", "1 for a single room, 2 for a double"],
    ["amount", "numeric", "amount", "above 0, in units of the currency (cents: / 100.0)"],
  ]),
  child_prices: view("A row for each price of an age band.", "prices.children", [
    ["min_age", "int", "minAge", "0 or more"],
    ["max_age", "int", "maxAge", "the band's last age"],
    ["amount", "numeric", "amount", "0 is for free"],
  ]),
  hotel_stays: view("A row for each stay in a hotel.", "hotels", [
    ["position", "int", null, "orders the stays"],
    ["name", "text", "name", "the hotel"],
    ["location", "text", "location", "where it is"],
    ["check_in", "date", "checkIn", "a date"],
    ["check_out", "date", "checkOut", "a date"],
    ["star_level", "int", "starLevel", "1 to 5"],
  ]),
  enrollments: view(
    "A row for each person who is booked: how many places are taken is counted from them. No names.",
    "capacity.used",
    [
      ["status", "text", null, "cancelled ones take no place (TERMINAL_ENROLLMENT_STATUSES)"],
      ["role", "text", null, "passenger or staff; staff take no place"],
    ],
  ),
  staff: view("A row for each person whom partners may know of.", "staff", [
    ["position", "int", null, "orders the people; of several lead guides the first counts"],
    ["role", "text", "role", "lead_guide or teacher; leave others out"],
    ["name", "text", "name", "as partners see it"],
    ["gender", "text", "gender", "male, female or NULL"],
    ["role_label", "text", "roleLabel", "a teacher's subject or title"],
  ]),
  flights: view("A row for each flight: partners see the airline.", "transport.flights", [
    ["position", "int", null, "orders the flights"],
    ["airline_code", "text", "airline.code", "such as LH"],
    ["airline_logo_url", "text", "airline.logoUrl", "a complete https address"],
  ]),
  itinerary: view("A row for each day or part of the tour.", "content.itinerary", [
    ["position", "int", null, "orders the entries"],
    ["title", "text", "title", "an entry without one is dropped"],
    ["description", "text", "description", "its text"],
  ]),
  faq: view("A row for each question with its answer.", "content.faq", [
    ["position", "int", null, "orders the questions"],
    ["question", "text", "question", "without one the entry is dropped"],
    ["answer", "text", "answer", "without one the entry is dropped"],
  ]),
};

export type ViewName = keyof typeof sourceViews;
export const viewNames = Object.keys(sourceViews) as readonly ViewName[];
/** A view whose rows belong to programs, and `programs` itself. */
export type ProgramView = Exclude<ViewName, "tenants">;

/** A view with all its columns by name, the ids among them, in order. */
export interface ContractView {
  readonly name: string;
  /** An optional view may be an empty stand-in, for a company that has no such data. */
  readonly isRequired: boolean;
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

export const contractViews: readonly ContractView[] = viewNames.map((name) => {
  const keys = name === "tenants" ? ["tenant_id"] : ["tenant_id", "program_id"];
  const all = [...keys.map((key) => [key, "text"] as const), ...sourceViews[name].columns];
  const columns = Object.fromEntries(all.map(([column, kind]) => [column, kind]));
  return { name, isRequired: name === "tenants" || name === "programs", columns };
});
