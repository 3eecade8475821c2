/** The kind of a column. `column-type.ts` lists the PostgreSQL types that each kind accepts. */
export type ColumnKind = "text" | "int" | "numeric" | "date" | "text[]";

/** A column and the public field that it becomes, if any. In a child view this is the field within an element. */
type ColumnDescription = readonly [name: string, kind: ColumnKind, field: string | null];

interface ViewDescription {
  /** An optional view may be an empty stand-in, for a company that has no such data. */
  readonly isRequired: boolean;
  /** The public field whose elements the rows of a child view become. */
  readonly field: string | null;
  /** The columns after `tenant_id` and `program_id`. The view `tenants` has no `program_id`. */
  readonly columns: readonly ColumnDescription[];
}

/**
 * The ten views of the schema `partner_source` with their columns in order: all that the generator reads of a booking database.
 * Queries, parsers, empty views, checks and the fields that findings name are made from this table.
 */
export const sourceViews = {
  tenants: { isRequired: true, field: null, columns: [["name", "text", null]] },
  programs: {
    isRequired: true,
    field: null,
    columns: [
      ["name", "text", "name"],
      ["lifecycle_state", "text", "lifecycle_state"],
      ["departure_date", "date", "departureDate"],
      ["return_date", "date", "returnDate"],
      ["capacity_total", "int", "capacity.total"],
      ["currency", "text", "currency"],
      ["category_type", "text", "category.type"],
      ["category_subtype", "text", "category.subtype"],
      ["guide_name", "text", "guide.name"],
      ["legacy_price", "numeric", "prices.rooms"],
      ["description", "text", "description"],
      ["departure_point", "text", "departurePoint"],
      ["marketing_tags", "text[]", "marketingTags"],
      ["accommodation_description", "text", "content.accommodationDescription"],
      ["cover_url", "text", "media.coverUrl"],
      ["gallery_urls", "text[]", "media.galleryUrls"],
      ["included", "text[]", "content.included"],
      ["excluded", "text[]", "content.excluded"],
      ["visits", "text[]", "content.visits"],
    ],
  },
  room_prices: {
    isRequired: false,
    field: "prices.rooms",
    columns: [
      ["occupancy", "int", "occupancy"],
      ["amount", "numeric", "amount"],
    ],
  },
  child_prices: {
    isRequired: false,
    field: "prices.children",
    columns: [
      ["min_age", "int", "minAge"],
      ["max_age", "int", "maxAge"],
      ["amount", "numeric", "amount"],
    ],
  },
  hotel_stays: {
    isRequired: false,
    field: "hotels",
    columns: [
      ["position", "int", null],
      ["name", "text", "name"],
      ["location", "text", "location"],
      ["check_in", "date", "checkIn"],
      ["check_out", "date", "checkOut"],
      ["star_level", "int", "starLevel"],
    ],
  },
  enrollments: {
    isRequired: false,
    field: "capacity.used",
    columns: [
      ["status", "text", null],
      ["role", "text", null],
    ],
  },
  staff: {
    isRequired: false,
    field: "staff",
    columns: [
      ["position", "int", null],
      ["role", "text", "role"],
      ["name", "text", "name"],
      ["gender", "text", "gender"],
      ["role_label", "text", "roleLabel"],
    ],
  },
  flights: {
    isRequired: false,
    field: "transport.flights",
    columns: [
      ["position", "int", null],
      ["airline_code", "text", "airline.code"],
      ["airline_logo_url", "text", "airline.logoUrl"],
    ],
  },
  itinerary: {
    isRequired: false,
    field: "content.itinerary",
    columns: [
      ["position", "int", null],
      ["title", "text", "title"],
      ["description", "text", "description"],
    ],
  },
  faq: {
    isRequired: false,
    field: "content.faq",
    columns: [
      ["position", "int", null],
      ["question", "text", "question"],
      ["answer", "text", "answer"],
    ],
  },
} as const satisfies Readonly<Record<string, ViewDescription>>;

export type ViewName = keyof typeof sourceViews;
/** A view whose rows belong to programs, and `programs` itself. */
export type ProgramView = Exclude<ViewName, "tenants">;

/** A view with all its columns by name, the ids among them, in order. */
export interface ContractView {
  readonly name: string;
  readonly isRequired: boolean;
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

export const contractViews: readonly ContractView[] = viewNames().map((name) => {
  const { isRequired, columns } = sourceViews[name];
  const keys = name === "tenants" ? ["tenant_id"] : ["tenant_id", "program_id"];
  const all = [...keys.map((key) => [key, "text"] as const), ...columns];
  return { name, isRequired, columns: Object.fromEntries(all.map(([column, kind]) => [column, kind])) };
});

export function viewNames(): readonly ViewName[] {
  return Object.keys(sourceViews) as ViewName[];
}

/** Dates and amounts are text, so that none is rounded or shifted. */
export type ColumnValue<Kind extends ColumnKind> = Kind extends "int"
  ? number | null
  : Kind extends "text[]"
    ? readonly (string | null)[] | null
    : string | null;

export type ViewRow<View extends ProgramView> = RowOf<(typeof sourceViews)[View]["columns"]>;

type RowOf<Columns extends readonly ColumnDescription[]> = {
  readonly [At in keyof Columns]: ColumnValue<Columns[At][1]>;
};

/** The order of PostgreSQL's "C" collation on a UTF-8 server: by bytes. JavaScript's order differs beyond U+D7FF. */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  if (ascii.test(a) && ascii.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ascii = /^[\x00-\x7f]*$/;
