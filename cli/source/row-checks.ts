import type { ProblemCode } from "../public-program/problem.ts";

/** Rows of one view that break a rule by themselves. The rule's text and severity are those of `problemRules`. */
export interface RowCheck {
  readonly code: ProblemCode;
  readonly view: string;
  readonly column: string | null;
  /** SQL condition over the view's columns. */
  readonly condition: string;
  /** SQL expression that shows what is wrong with such a row. */
  readonly value: string;
  readonly advice: string;
}

/** The white space of Unicode, as in the generator. */
const whiteSpace =
  "\\u0009-\\u000D\\u0020\\u0085\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000";

/** In the order of the contract's views. */
export const rowChecks: readonly RowCheck[] = [
  check(
    "tenant_id_invalid",
    "tenants.tenant_id",
    isIllFormed("tenant_id", 63),
    "rename the tenant's id in the view",
  ),
  ...activePrograms(),
  check(
    "lifecycle_state_unknown",
    "programs.lifecycle_state",
    isOtherThan("lifecycle_state", ["active", "draft", "cancelled", "completed", "archived", "ended"]),
    "translate your own states to these in the view (CASE ... END)",
  ),
  check(
    "room_price_dropped",
    "room_prices.occupancy",
    "coalesce(occupancy, 0) < 1",
    "set how many share the room",
  ),
  check(
    "room_price_dropped",
    "room_prices.amount",
    isNoAmount("amount", "<="),
    "set the price, or leave the row out",
  ),
  check("child_price_dropped", "child_prices.min_age", "coalesce(min_age, -1) < 0", "set the youngest age"),
  check(
    "child_price_dropped",
    "child_prices.max_age",
    "max_age IS NULL OR max_age < min_age",
    "set the oldest age of the band, not below the youngest",
  ),
  check(
    "child_price_dropped",
    "child_prices.amount",
    isNoAmount("amount", "<"),
    "set the price; 0 is for free",
  ),
  check("date_out_of_range", "hotel_stays.check_in", isOutOfRange("check_in"), "correct the date"),
  check("date_out_of_range", "hotel_stays.check_out", isOutOfRange("check_out"), "correct the date"),
  check(
    "stay_empty",
    "hotel_stays.name",
    `${isBlank("concat(name, location)")} AND coalesce(check_in, check_out) IS NULL AND star_level IS NULL`,
    "leave the row out of the view",
  ),
  check(
    "star_level_invalid",
    "hotel_stays.star_level",
    "star_level NOT BETWEEN 1 AND 5",
    "map your rating to 1..5 or NULL",
  ),
  check(
    "enrollment_role_unknown",
    "enrollments.role",
    isOtherThan("role", ["passenger", "staff"]),
    "translate your own roles to passenger and staff in the view",
  ),
  check(
    "staff_role_unknown",
    "staff.role",
    isOtherThan("role", ["lead_guide", "teacher"]),
    "translate your own duties in the view and leave others out of it",
  ),
  check("text_missing", "staff.name", isBlank("name"), "set the name that may be shown"),
  check(
    "gender_invalid",
    "staff.gender",
    `NOT ${isBlank("gender")} AND ${isOtherThan("gender", ["male", "female"])}`,
    "use NULL where it is neither",
  ),
  check("text_missing", "flights.airline_code", isBlank("airline_code"), "set the airline's code"),
  check("url_dropped", "flights.airline_logo_url", isNoPublicUrl("airline_logo_url"), "use an https address"),
  check("text_missing", "itinerary.title", isBlank("title"), "set the title"),
  check("text_missing", "faq.question", isBlank("question"), "write the question, or leave the row out"),
  check("text_missing", "faq.answer", isBlank("answer"), "write the answer, or leave the row out"),
];

/** Only programs that would be published are held against the rules of what is published. */
function activePrograms(): readonly RowCheck[] {
  return [
    check(
      "program_id_invalid",
      "programs.program_id",
      isIllFormed("program_id", 127),
      "rename the id in the view",
    ),
    check("program_name_blank", "programs.name", isBlank("name"), "set the name, or the state to draft"),
    check("date_out_of_range", "programs.departure_date", isOutOfRange("departure_date"), "correct the date"),
    check("date_out_of_range", "programs.return_date", isOutOfRange("return_date"), "correct the date"),
    check(
      "dates_reversed",
      "programs.return_date",
      "return_date < departure_date",
      "correct one of the dates",
    ),
    check(
      "capacity_total_invalid",
      "programs.capacity_total",
      "coalesce(capacity_total, -1) < 0",
      "set the capacity",
    ),
    check(
      "currency_invalid",
      "programs.currency",
      `NOT ${isBlank("currency")} AND ${plainText("currency")} !~ '^[A-Za-z]{3}$'`,
      "use the code of ISO 4217, or NULL",
    ),
    check("url_dropped", "programs.cover_url", isNoPublicUrl("cover_url"), "use an https address"),
    check(
      "url_dropped",
      "programs.gallery_urls",
      someOf("gallery_urls", isNoPublicUrl),
      "use https addresses",
    ),
    ...["marketing_tags", "gallery_urls", "included", "excluded", "visits"].map((column) =>
      check(
        "text_missing",
        `programs.${column}`,
        someOf(column, isBlank),
        "take blank elements out of the list",
      ),
    ),
  ].map((row) => ({
    ...row,
    condition: `lower(${plainText("lifecycle_state")}) = 'active' AND (${row.condition})`,
  }));
}

function check(code: ProblemCode, viewColumn: string, condition: string, advice: string): RowCheck {
  const [view = "", column = ""] = viewColumn.split(".");
  return { code, view, column, condition, value: `${column}::text`, advice };
}

/** Compared by byte: in a Turkish database `lower('ACTIVE')` has a dotless i. */
function plainText(expression: string): string {
  return `(${expression}::text COLLATE "C")`;
}

function isBlank(expression: string): string {
  return `coalesce(${plainText(expression)}, '') !~ '[^${whiteSpace}]'`;
}

function isIllFormed(column: string, further: number): string {
  return `coalesce(${plainText(column)}, '') !~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,${further}}$'`;
}

function isOtherThan(column: string, words: readonly string[]): string {
  return `coalesce(lower(${plainText(column)}), '') NOT IN (${words.map((word) => `'${word}'`).join(", ")})`;
}

/** NaN sorts above infinity. */
function isNoAmount(column: string, below: "<" | "<="): string {
  return `${column} IS NULL OR ${column} ${below} 0 OR ${column}::numeric >= 'Infinity'`;
}

function isOutOfRange(column: string): string {
  return `${column} NOT BETWEEN '0001-01-01' AND '9999-12-31'`;
}

/** Blank counts as absent. */
function isNoPublicUrl(expression: string): string {
  const acceptable = "'^https://[^/?#@[:space:]\\\\]+([/?#][^[:space:]\\\\]*)?$'";
  return `NOT ${isBlank(expression)} AND ${plainText(expression)} !~* ${acceptable}`;
}

function someOf(column: string, isWrong: (element: string) => string): string {
  return `EXISTS (SELECT FROM unnest(${column}::text[]) AS element WHERE ${isWrong("element")})`;
}
