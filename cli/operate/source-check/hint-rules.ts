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
export const limits = {
  /** Nobody sells tours of the last century: an earlier date is a default (`1970-01-01`) or a year of two digits. */
  firstDeparture: "2000-01-01",
  /** Tours are sold two or three years ahead. A later date is a placeholder (`2099-12-31`) or a slip. */
  yearsAhead: 5,
  /** The longest cruises around the world take less than a year. */
  longestTripDays: 366,
  /** Where the company is, it may still be yesterday. */
  daysOfGrace: 1,
  /** With so many statuses, one is a cancellation, however it is written. Fewer may be those of bookings that count alone. */
  minStatuses: 3,
  /** A new tenant that has more than this part of a vanished tenant's programs is probably the same company. */
  renamedShare: 0.5,
} as const;

/** The codes of ISO 4217 that Node.js has, and those with prices in them that it does not have in every version. */
const currencies: readonly string[] = [...Intl.supportedValuesOf("currency"), "CLF", "VED", "XCG", "ZWG"];

const ids = 'tenant_id::text COLLATE "C" AS tenant, program_id::text COLLATE "C" AS program';

function active(columns = "NULL AS nothing"): string {
  return `(SELECT ${ids}, ${columns} FROM partner_source.programs
            WHERE lower(lifecycle_state::text) = 'active'
              AND tenant_id::text COLLATE "C" IN (SELECT tenant_id::text COLLATE "C" FROM partner_source.tenants)) AS active`;
}

/** A view without any row of prices is that of a company with single prices, which is no fault. */
const pricesStandIn = `
  SELECT 'room_prices.amount' AS place, tenant, NULL::text AS program,
         CASE WHEN priced = 0 THEN 'no room price in ' || programs || ' program(s), ' || single || ' with legacy_price'
              ELSE 'legacy_price is the double room of ' || single || ' of ' || programs || ' program(s)' END AS value
    FROM (SELECT tenant, count(*) AS programs, count(rooms.program) AS priced,
                 count(*) FILTER (WHERE has_double) AS doubles,
                 count(*) FILTER (WHERE rooms.program IS NULL AND legacy_price > 0) AS single,
                 sum(count(rooms.program)) OVER () AS priced_in_all
            FROM ${active("legacy_price")}
            LEFT JOIN (SELECT ${ids}, bool_or(occupancy = 2) AS has_double
                         FROM partner_source.room_prices WHERE amount > 0 AND occupancy > 0 GROUP BY 1, 2) AS rooms
                 USING (tenant, program)
           GROUP BY tenant) AS counted
   WHERE priced = 0 AND priced_in_all > 0
      OR doubles = 0 AND single > 0 AND EXISTS (SELECT FROM partner_source.room_prices)`;

/** A program without a return date is past when its departure is. */
const tripPast = `
  SELECT 'programs.return_date' AS place, tenant, program, last_day::text AS value
    FROM ${active("greatest(departure_date, return_date) AS last_day")}
   WHERE last_day >= $2::date AND last_day < $1::date - $3::int`;

const departureFar = `
  SELECT 'programs.departure_date' AS place, tenant, program, departure_date::text AS value
    FROM ${active("departure_date")}
   WHERE departure_date >= '0001-01-01' AND departure_date < $2::date
      OR departure_date <= '9999-12-31' AND departure_date > $1::date + make_interval(years => $3)`;

const tripLong = `
  SELECT 'programs.return_date' AS place, tenant, program, days || ' days' AS value
    FROM ${active("CASE WHEN isfinite(departure_date) AND isfinite(return_date) THEN return_date - departure_date + 1 END AS days")}
   WHERE days > $1::int`;

const currencyMissing = `
  SELECT 'programs.currency' AS place, tenant, program, currency AS value
    FROM ${active("currency::text, legacy_price")}
   WHERE coalesce(currency, '') ~ '^\\s*$'
     AND (legacy_price > 0
          OR (tenant, program) IN (SELECT tenant, program FROM (SELECT ${ids} FROM partner_source.room_prices WHERE amount > 0) AS room)
          OR (tenant, program) IN (SELECT tenant, program FROM (SELECT ${ids} FROM partner_source.child_prices WHERE amount >= 0) AS child))`;

const currencyUnknown = `
  SELECT 'programs.currency' AS place, tenant, program, currency AS value
    FROM ${active("currency::text")}
   WHERE currency ~ '^[A-Za-z]{3}$' AND upper(currency) <> ALL ($1::text[])`;

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

const pictureTwice = `
  SELECT 'programs.gallery_urls' AS place, tenant, program,
         CASE WHEN is_repeated THEN 'a picture twice in the gallery' ELSE 'the cover in the gallery, too' END AS value
    FROM (SELECT tenant, program, cover = ANY (gallery) AS has_cover,
                 (SELECT count(*) > count(DISTINCT url) FROM unnest(gallery) AS url WHERE url <> '') AS is_repeated
            FROM ${active("cover_url::text AS cover, gallery_urls::text[] AS gallery")}) AS pictures
   WHERE has_cover OR is_repeated`;

/**
 * All hints. Each query asks about all tenants' rows at once. Only active programs of listed tenants count, since partners see no
 * other. Dates and amounts that a build drops are passed over: they have findings of their own.
 */
export const hintRules = {
  prices_stand_in: {
    rule: "a tenant's double rooms all have the legacy_price, or it alone has no room prices",
    advice:
      "look whether room_prices joins each price to its own tenant and program; leave single prices that are meant",
    query: pricesStandIn,
  },
  trip_past: {
    rule: "the last day of an active program is past",
    advice: "let the view programs give it the state ended",
    query: tripPast,
    values: (today) => [today, limits.firstDeparture, limits.daysOfGrace],
  },
  departure_far: {
    rule: `a departure is before ${limits.firstDeparture.slice(0, 4)} or more than ${limits.yearsAhead} years ahead`,
    advice: "look for a default date or a year of two digits; NULL stands for a date that is not known",
    query: departureFar,
    values: (today) => [today, limits.firstDeparture, limits.yearsAhead],
  },
  trip_long: {
    rule: "a trip is longer than a year",
    advice: "look whether both dates are those of one departure",
    query: tripLong,
    values: () => [limits.longestTripDays],
  },
  currency_missing: {
    rule: "a program has prices and no currency",
    advice: "give the currency in the view programs, as a constant ('EUR' AS currency) if there is only one",
    query: currencyMissing,
  },
  currency_unknown: {
    rule: "ISO 4217 has no such currency, or has it no more",
    advice: "translate it to the code of ISO 4217 in the view programs",
    query: currencyUnknown,
    values: () => [currencies],
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
  picture_twice: {
    rule: "a program has the same picture twice",
    advice: "look for a join that multiplies, and leave the cover out of gallery_urls",
    query: pictureTwice,
  },
  status_takes_place: {
    rule: "a status takes a place that looks like a cancellation or a waiting list, or is a code that says nothing; or all statuses take one",
    advice:
      "translate codes to words in the view, and name those that take none in TERMINAL_ENROLLMENT_STATUSES",
  },
  tenant_renamed: {
    rule: "a published tenant is not in the source any more, beside a new one with its program ids",
    advice: "if it is the same company, build the new one, then move the tokens with `tenant rename`",
  },
  hints_unasked: {
    rule: "a question about all tenants' rows could not be answered, so its hint is missing",
    advice: "a build needs none; look at the value or the view that the message names",
  },
} as const satisfies Readonly<Record<string, HintRule>>;

export type HintCode = keyof typeof hintRules;
