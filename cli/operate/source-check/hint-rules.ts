import { sourceViews, viewNames } from "../../publish/source/contract.ts";

/** What is legal and probably wrong, and what to do about it. */
export interface HintRule {
  readonly rule: string;
  readonly advice: string;
  /** Gives doubtful values as `place` (`view.column`), `tenant`, `program` and `value`. */
  readonly query?: string;
  readonly values?: (today: string) => readonly unknown[];
}

/**
 * Beyond these a value is legal and probably wrong. Each has its reason, since hints that are mostly mistaken are soon read by
 * nobody.
 */
const limits = {
  /** Nobody sells tours of the last century: an earlier date is a default (`1970-01-01`) or a year of two digits. */
  firstDeparture: "2000-01-01",
  /** Tours are sold two or three years ahead. A later date is a placeholder (`2099-12-31`) or a slip. */
  yearsAhead: 5,
  /** Where the company is, it may still be yesterday. */
  daysOfGrace: 1,
} as const;

const ids = 'tenant_id::text COLLATE "C" AS tenant, program_id::text COLLATE "C" AS program';

function active(columns = "NULL AS nothing"): string {
  return `(SELECT ${ids}, ${columns} FROM partner_source.programs
            WHERE lower(lifecycle_state::text) = 'active'
              AND tenant_id::text COLLATE "C" IN (SELECT tenant_id::text COLLATE "C" FROM partner_source.tenants)) AS active`;
}

/** A program without a return date is past when its departure is. */
const tripPast = `
  SELECT 'programs.return_date' AS place, tenant, program, last_day::text AS value
    FROM ${active("greatest(departure_date, return_date) AS last_day")}
   WHERE last_day >= $2::date AND last_day < $1::date - $3::int`;

const dateFar = `
  SELECT day.place, tenant, program, day.value::text AS value
    FROM ${active("departure_date, return_date")},
         LATERAL (VALUES ('programs.departure_date', departure_date), ('programs.return_date', return_date)) AS day (place, value)
   WHERE day.value >= '0001-01-01' AND day.value < $2::date
      OR day.value <= '9999-12-31' AND day.value > $1::date + make_interval(years => $3)`;

const currencyMissing = `
  SELECT 'programs.currency' AS place, tenant, program, currency AS value
    FROM ${active("currency::text, legacy_price")}
   WHERE coalesce(currency, '') ~ '^\\s*$'
     AND (legacy_price > 0
          OR (tenant, program) IN (SELECT tenant, program FROM (SELECT ${ids} FROM partner_source.room_prices WHERE amount > 0) AS room)
          OR (tenant, program) IN (SELECT tenant, program FROM (SELECT ${ids} FROM partner_source.child_prices WHERE amount >= 0) AS child))`;

/** Elements of HTML that stand in texts. Other words in angle brackets, such as `<Beginners>`, are text. */
const elements =
  "a|b|blockquote|br|center|code|div|em|font|h[1-6]|hr|i|iframe|img|li|ol|p|pre|script|small|span|strong|style|sub|sup|table|tbody|td|th|tr|u|ul";
const tag = `<(/?(?:${elements}))(?:\\s[^<>]*)?/?>`;
const entity = "&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);";

/** The first tag or entity of each text that partners see. */
function markupInText(): string {
  const views = viewNames().flatMap((view) => {
    const texts = sourceViews[view].columns.flatMap(([column, kind, field]) => {
      if (field === null || (kind !== "text" && kind !== "text[]")) return [];
      if (column.endsWith("_url") || column.endsWith("_urls")) return [];
      const text = kind === "text" ? `${column}::text` : `array_to_string(${column}::text[], ' ')`;
      return [`('${view}.${column}', ${text})`];
    });
    if (texts.length === 0) return [];
    return [
      `SELECT ${ids}, cell.place, cell.text FROM partner_source.${view}, LATERAL (VALUES ${texts.join(", ")}) AS cell (place, text)
        WHERE cell.text ~ '${entity}' OR lower(cell.text) ~ '${tag}'`,
    ];
  });
  return `
  SELECT place, tenant, program, coalesce('<' || substring(lower(text) FROM '${tag}') || '>', substring(text FROM '${entity}')) AS value
    FROM (${views.join(" UNION ALL ")}) AS marked
   WHERE (tenant, program) IN (SELECT tenant, program FROM ${active()})`;
}

const priceTwice = `
  SELECT place, tenant, program, what || CASE WHEN count(DISTINCT amount) > 1 THEN ', different amounts' ELSE ', the same amount' END AS value
    FROM (SELECT 'room_prices.occupancy' AS place, ${ids}, 'occupancy ' || occupancy AS what, amount
            FROM partner_source.room_prices WHERE amount > 0 AND occupancy > 0
          UNION ALL
          SELECT 'child_prices.min_age', ${ids}, 'ages ' || min_age || ' to ' || max_age, amount
            FROM partner_source.child_prices WHERE amount >= 0) AS price
   WHERE (tenant, program) IN (SELECT tenant, program FROM ${active()})
   GROUP BY place, tenant, program, what
  HAVING count(*) > 1`;

/**
 * All hints. Each query asks about all tenants' rows at once. Only active programs of listed tenants count, since partners see no
 * other. Dates and amounts that a build drops are passed over: they have findings of their own.
 */
export const hintRules = {
  trip_past: {
    rule: "the last day of an active program is past",
    advice: "let the view programs give it the state ended",
    query: tripPast,
    values: (today) => [today, limits.firstDeparture, limits.daysOfGrace],
  },
  departure_far: {
    rule: `a trip begins or ends before ${limits.firstDeparture.slice(0, 4)} or more than ${limits.yearsAhead} years ahead`,
    advice: "look for a default date or a year of two digits; NULL stands for a date that is not known",
    query: dateFar,
    values: (today) => [today, limits.firstDeparture, limits.yearsAhead],
  },
  currency_missing: {
    rule: "a program has prices and no currency",
    advice: "give the currency in the view programs, as a constant ('EUR' AS currency) if there is only one",
    query: currencyMissing,
  },
  markup_in_text: {
    rule: "a text has markup or entities, which partners show as they stand",
    advice: "make plain text of it in the view; the cookbook has a function for it",
    query: markupInText(),
  },
  price_twice: {
    rule: "a program has two prices for one occupancy or one age band, and both are published",
    advice: "look for a join that multiplies, or choose one of the prices in the view",
    query: priceTwice,
  },
  status_takes_place: {
    rule: "all statuses take a place",
    advice: "name those of bookings that take none, such as cancelled ones, in TERMINAL_ENROLLMENT_STATUSES",
  },
  hints_unasked: {
    rule: "a question about all tenants' rows could not be answered, so its hint is missing",
    advice: "a build needs none; look at the value or the view that the message names",
  },
} as const satisfies Readonly<Record<string, HintRule>>;

export type HintCode = keyof typeof hintRules;
