import type pg from "pg";
import { sampleCompanies, samplePlaces, sampleTours, sampleTrades, sampleWords } from "./sample-words.ts";

/** The special cases that a company's first 24 programs show, one each. Further programs start the list again. */
const sampleSituations = `
  ordinary sold_out overbooked draft ordinary cancelled
  no_dates completed legacy_price_only archived under_way ended
  return_before_departure ordinary no_prices all_enrollments_terminal many_staff_enrolled ordinary
  no_marketing one_day no_return_date price_on_request no_capacity last_places`
  .trim()
  .split(/\s+/);

/** SQL: a whole number of 28 bits that follows from the key alone, so that it is the same on every machine. Not for secrets. */
export function randomOf(key: string): string {
  return `('x' || left(md5(${key}), 7))::bit(28)::integer`;
}

/** SQL: a number below `sides` for one purpose of the program `p`. Each purpose has its own, so that a new one changes no other. */
export function dice(purpose: string, sides: number | string): string {
  return `(${randomOf(`p.key || '/${purpose}'`)} % ${sides})`;
}

/** SQL: the nearest multiple of the company's price step, but not 0. Never ends in `privateCents`. */
export function price(amount: string): string {
  return `greatest(round((${amount}) / c.step), 1) * c.step`;
}

/** The same seed, date and size give the same rows. */
export interface SampleOptions {
  readonly seed: string;
  /** The day that dates are relative to, `YYYY-MM-DD`. */
  readonly today: string;
  readonly tenants: number;
  /** Per tenant. */
  readonly programs: number;
}

/** Creates the temporary tables of tours, companies and programs that all rows of the sample are made from. */
export async function createFacts(client: pg.Client, options: SampleOptions): Promise<void> {
  const { seed, today, tenants, programs } = options;
  const create = async (name: string, query: string, ...values: readonly unknown[]): Promise<void> => {
    await client.query(`CREATE TEMPORARY TABLE ${name} ON COMMIT DROP AS ${query}`, [...values]);
  };
  await create("sample_tour", tours);
  await create(
    "sample_company",
    companies,
    JSON.stringify(sampleWords),
    samplePlaces,
    sampleTrades,
    tenants,
    programs,
  );
  await create("sample_program", programFacts, seed, today, sampleSituations, programs);
  await client.query("ANALYZE pg_temp.sample_company, pg_temp.sample_program");
}

const tours = `
  SELECT script, position, name, type, subtype, days, price, hotels::integer[], visits::text[], description, tags::text[],
         (count(*) OVER (PARTITION BY script))::integer AS count
    FROM ${sampleTours}`;

/** A company beyond the five known ones has a name of its own, and the rest from one of them in turn. */
const companies = `
  SELECT CASE WHEN n < 5 THEN known.code ELSE lower(place || '-' || trade || '-' || n) END AS code,
         CASE WHEN n < 5 THEN known.name ELSE place || ' ' || trade || ' ' || n END AS name,
         CASE WHEN n < 5 THEN known.prefix ELSE upper(left(place, 3)) || n END AS prefix,
         known.zone, known.currency, known.step, known.rate,
         least(greatest(40, 2 * $5::integer), 20000) AS passenger_count, words.*
    FROM generate_series(0, $4::integer - 1) AS n
    JOIN ${sampleCompanies} ON position = n % 5
    JOIN jsonb_to_recordset($1) AS words (script text, departures text[], hotels text[], guides text[],
           passengers text[], rooms text[], duties text[], editions text[], arrival text, farewell text, days text[],
           accommodation text, included text[], excluded text[], faq text[]) USING (script)
   CROSS JOIN LATERAL (SELECT ($2::text[])[n % cardinality($2) + 1] AS place,
                              ($3::text[])[n / cardinality($2) % cardinality($3) + 1] AS trade) AS further`;

const programFacts = `
  SELECT c.code AS company_code, p.index, p.key, situation, tour.*, plan.days AS length, departure, back,
         c.prefix || '-' || extract(year FROM coalesce(departure, $2::date)) || '-'
           || lpad((p.index + 1)::text, greatest(4, length((p.index + 1)::text)), '0') AS code,
         tour.name || c.editions[p.index / tour.count % cardinality(c.editions) + 1] AS title,
         ${price(`tour.price * c.rate * (85 + ${dice("price", 46)}) / 100`)} AS double_price,
         1 + ${dice("guide", "(cardinality(c.guides) / 2)")} AS guide,
         CASE situation WHEN 'draft' THEN 0 WHEN 'all_enrollments_terminal' THEN 0 WHEN 'many_staff_enrolled' THEN 5
           WHEN 'sold_out' THEN 10 WHEN 'overbooked' THEN 11 WHEN 'last_places' THEN 11
           ELSE 5 + ${dice("travelling", 9)} END AS travelling,
         CASE situation WHEN 'draft' THEN 0 WHEN 'all_enrollments_terminal' THEN 7 WHEN 'many_staff_enrolled' THEN 0
           WHEN 'sold_out' THEN 2 WHEN 'overbooked' THEN 1 WHEN 'last_places' THEN 0
           ELSE ${dice("dropped", 5)} END AS dropped,
         CASE situation WHEN 'draft' THEN 0 WHEN 'all_enrollments_terminal' THEN 0 WHEN 'many_staff_enrolled' THEN 4
           ELSE 1 END AS staff
    FROM sample_company AS c
   CROSS JOIN LATERAL (SELECT index, $1::text || '/' || c.code || '/' || index AS key,
                              ($3::text[])[index % cardinality($3) + 1] AS situation
                         FROM generate_series(0, $4::integer - 1) AS index) AS p
    JOIN sample_tour AS tour ON tour.script = c.script AND tour.position = p.index % tour.count
   CROSS JOIN LATERAL (SELECT CASE WHEN situation = 'one_day' THEN 1 ELSE tour.days END AS days,
           CASE
             WHEN situation = 'no_dates' THEN NULL
             -- Three days from today on both sides, so that the tour is under way in every time zone.
             WHEN situation = 'under_way' THEN $2::date - 3
             WHEN situation IN ('ended', 'completed', 'archived') THEN $2::date - 30 - ${dice("departure", 271)}
             ELSE $2::date + 7 + ${dice("departure", 324)}
           END AS departure) AS plan
   CROSS JOIN LATERAL (SELECT CASE situation
             WHEN 'no_return_date' THEN NULL
             WHEN 'return_before_departure' THEN departure - 3
             WHEN 'under_way' THEN $2::date + 3
             ELSE departure + plan.days - 1
           END AS back) AS way_back`;
