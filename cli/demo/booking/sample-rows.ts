import { canaryMark, privateAmountColumns, privateCents, privateTextColumns } from "./private-columns.ts";
import { dice, price, randomOf } from "./sample-facts.ts";
import { sampleAirlines } from "./sample-words.ts";

/** The rows of a table, made by one `INSERT ... SELECT` from the temporary tables of `sample-facts.ts`. */
export interface SampleTable {
  readonly name: string;
  readonly insert: string;
}

interface Rows {
  /** SQL for each column, except for private ones that need no more than a canary. */
  readonly columns: Readonly<Record<string, string>>;
  readonly from: string;
  /** SQL that tells the row from others of its table, for its canaries. */
  readonly row: string;
  /** SQL: which rows have canaries. */
  readonly isCanary?: string;
  /** SQL: the amount that private amounts of the row are near to. */
  readonly amount?: string;
}

function sampleTable(
  name: string,
  { columns, from, row, isCanary = "true", amount = "100" }: Rows,
): SampleTable {
  const all: Record<string, string> = {};
  for (const text of privateTextColumns[name] ?? []) {
    all[text] = `CASE WHEN ${isCanary} THEN '${canaryMark}${name}.${text}-' || ${row} END`;
  }
  for (const each of privateAmountColumns[name] ?? []) all[each] = `floor(${amount}) + ${privateCents}`;
  Object.assign(all, columns);
  const insert = `INSERT INTO booking.${name} (${Object.keys(all).join(", ")}) SELECT ${Object.values(all).join(", ")} FROM ${from}`;
  return { name, insert };
}

/** A table of programs: `series` numbers a program's rows by `n`. In practice these private columns are mostly empty. */
function programTable(name: string, columns: Rows["columns"], series: string): SampleTable {
  return sampleTable(name, {
    columns: { company_code: "p.company_code", program_code: "p.code", ...columns },
    from: `sample_program AS p JOIN sample_company AS c ON c.code = p.company_code CROSS JOIN ${series}`,
    row: "p.code || '.' || n",
    isCanary: "(p.index + n) % 5 = 0",
    amount: "p.double_price",
  });
}

const companyOf = (series: string): string => `sample_company AS c CROSS JOIN ${series}`;
const guides = "(cardinality(c.guides) / 2)";
const questions = "(cardinality(c.faq) / 2)";
const hasMarketing = "p.situation <> 'no_marketing'";
const hasRoomPrices = "p.situation NOT IN ('no_prices', 'legacy_price_only')";
const airlineCodes = "(SELECT array_agg(code ORDER BY code) FROM booking.airlines)";
const picture = "'https://images.example.com/' || c.code || '/' || p.index + 1 || '/'";

/** In the order of their foreign keys. */
export const sampleTables: readonly SampleTable[] = [
  sampleTable("airlines", {
    columns: { code: "code", name: "name", logo_url: "logo" },
    from: sampleAirlines,
    row: "code",
  }),
  sampleTable("companies", {
    columns: { code: "c.code", name: "c.name", time_zone: "c.zone", default_currency: "c.currency" },
    from: "sample_company AS c ORDER BY c.code",
    row: "c.code",
  }),
  sampleTable("hotels", {
    columns: {
      ...{ company_code: "c.code", code: "'H' || n", name: "c.hotels[n][1]", city: "c.hotels[n][2]" },
      ...{ country: "c.hotels[n][3]", star_rating: "c.hotels[n][4]::smallint" },
    },
    from: companyOf("generate_series(1, cardinality(c.hotels) / 4) AS n"),
    row: "c.code || '.' || n",
  }),
  sampleTable("room_types", {
    columns: { company_code: "c.code", code: "type", label: "c.rooms[n]", occupancy: "n" },
    from: companyOf("unnest('{single,double,triple,quad}'::text[]) WITH ORDINALITY AS room (type, n)"),
    row: "type",
  }),
  sampleTable("passengers", {
    columns: {
      ...{ company_code: "c.code", number: "n" },
      full_name: `c.passengers[n % cardinality(c.passengers) + 1] || ' ${canaryMark}passengers.full_name-' || c.code || n`,
      birth_date: `date '1945-01-01' + ${randomOf("c.code || '/' || n")} % 27000`,
      passport_expiry: `date '2027-01-01' + ${randomOf("c.code || '/' || n")} % 3600`,
    },
    from: companyOf("generate_series(1, c.passenger_count) AS n"),
    row: "c.code || '.' || n",
  }),
  sampleTable("staff", {
    columns: {
      ...{ company_code: "c.code", number: "n" },
      // The driver comes last. That name is private, although the same column holds the public names of guides.
      display_name: `coalesce(c.guides[n][1], '${canaryMark}driver-' || c.code)`,
      gender: `CASE WHEN n > ${guides} THEN 'male' ELSE c.guides[n][2] END::booking.gender`,
    },
    from: companyOf(`generate_series(1, ${guides} + 1) AS n`),
    row: "c.code || '.' || n",
  }),
  sampleTable("programs", {
    columns: {
      ...{ company_code: "p.company_code", code: "p.code", name: "p.title" },
      state: `CASE WHEN p.situation IN ('draft', 'cancelled', 'completed', 'archived') THEN p.situation ELSE 'active' END::booking.program_state`,
      ...{ category_type: "p.type", category_subtype: "p.subtype" },
      ...{ departure_date: "p.departure", return_date: "p.back" },
      departure_point: `c.departures[1 + ${dice("point", "cardinality(c.departures)")}]`,
      capacity: `CASE p.situation WHEN 'no_capacity' THEN NULL WHEN 'sold_out' THEN 10 WHEN 'overbooked' THEN 8
                   WHEN 'last_places' THEN 13 ELSE 16 + ${dice("capacity", 33)} END`,
      // Most programs are sold in the company's currency (NULL), and a few in another one.
      currency: `CASE WHEN ${dice("currency", 10)} = 0 THEN 'USD' END`,
      single_price: `CASE WHEN p.situation = 'legacy_price_only' OR (p.situation <> 'no_prices' AND ${dice("legacy", 100)} < 15)
                       THEN p.double_price END`,
      guide_display_name: `CASE WHEN ${hasMarketing} THEN c.guides[p.guide][1] END`,
    },
    from: "sample_program AS p JOIN sample_company AS c ON c.code = p.company_code ORDER BY p.company_code, p.index",
    row: "p.code",
    amount: "p.double_price * 9",
  }),
  programTable(
    "room_prices",
    {
      room_type_code: "room.type",
      // 0 means "on request"; such a price is not published.
      amount: `CASE WHEN p.situation = 'price_on_request' AND n = 2 THEN 0 ELSE ${price("p.double_price * factor")} END`,
    },
    `(VALUES (1, 'double', 1), (2, 'single', 1.35), (3, 'triple', 0.92), (4, 'quad', 0.85)) AS room (n, type, factor)
      WHERE ${hasRoomPrices} AND (n < 3 OR ${dice("rooms", 100)} < CASE n WHEN 3 THEN 85 ELSE 25 END)`,
  ),
  programTable(
    "child_price_bands",
    {
      ...{ min_age: "min_age", max_age: "max_age" },
      amount: `CASE WHEN factor = 0 THEN 0 ELSE ${price("p.double_price * factor")} END`,
    },
    `(VALUES (1, 0, 1, 0), (2, 2, 6, 0.4), (3, 7, 11, 0.7)) AS band (n, min_age, max_age, factor)
      WHERE ${hasRoomPrices} AND ${dice("children", 100)} < CASE n WHEN 3 THEN 35 ELSE 85 END`,
  ),
  programTable(
    "hotel_stays",
    {
      ...{ position: "n", hotel_code: "'H' || p.hotels[n]" },
      check_in: "p.departure + (n - 1) * nights",
      check_out: "p.departure + CASE WHEN n = cardinality(p.hotels) THEN p.length - 1 ELSE n * nights END",
    },
    `LATERAL (SELECT greatest((p.length - 1) / cardinality(p.hotels), 1) AS nights) AS each_stay
      CROSS JOIN generate_series(1, cardinality(p.hotels)) AS n WHERE p.length > 1`,
  ),
  programTable(
    "enrollments",
    {
      number: "n",
      role: "CASE WHEN n > travelling + dropped THEN 'staff' ELSE 'passenger' END::booking.enrollment_role",
      status: `CASE
          WHEN n <= travelling THEN ('{pending,reserved,confirmed,confirmed,paid,paid,NULL}'::booking.enrollment_status[])[1 + random % 7]
          WHEN n <= travelling + dropped
            THEN ('{cancelled,rejected,expired,refunded,withdrawn,no_show}'::booking.enrollment_status[])[1 + random % 6]
          ELSE 'confirmed' END`,
      passenger_number: "CASE WHEN n <= travelling + dropped THEN 1 + random / 7 % c.passenger_count END",
      staff_number: `CASE WHEN n > travelling + dropped THEN 1 + random % ${guides} END`,
    },
    `generate_series(1, travelling + dropped + staff) AS n
      CROSS JOIN LATERAL (SELECT ${randomOf("p.key || n")} AS random OFFSET 0) AS thrown`,
  ),
  programTable(
    "staff_assignments",
    {
      ...{ position: "n", duty: "duty::booking.staff_duty" },
      staff_number: `CASE n WHEN 1 THEN p.guide WHEN 2 THEN p.guide % ${guides} + 1 ELSE ${guides} + 1 END`,
      role_label: `CASE WHEN (${dice("label", 10)} + n) % 10 > 0 THEN c.duties[n] END`,
    },
    `(VALUES (1, 'lead_guide'), (2, 'teacher'), (3, 'driver')) AS assignment (n, duty)
      WHERE ${hasMarketing} AND (n <> 2 OR ${dice("teacher", 100)} < 60)`,
  ),
  programTable(
    "flights",
    {
      position: "n",
      // The flights out and back are mostly with the same airline.
      airline_code: `${airlineCodes}[1 + (${dice("airline", 5)} + CASE WHEN n = 2 AND ${dice("back", 10)} < 3 THEN 1 ELSE 0 END) % 5]`,
    },
    "generate_series(1, 2) AS n WHERE p.length >= 4",
  ),
  programTable(
    "program_days",
    {
      day: "n",
      title: `CASE WHEN n > 1 AND n = shown THEN c.farewell
                WHEN n = 1 AND shown > 1 THEN replace(c.arrival, '{city}', c.hotels[p.hotels[1]][2])
                ELSE p.visits[greatest(n - 1, 1)] END`,
      public_description: `CASE WHEN (n = 1 OR n < shown) AND (${dice("days", 7)} + n) % 7 > 0
                             THEN c.days[1 + (${dice("days", 7)} + n) % cardinality(c.days)] END`,
    },
    // Longer tours publish their highlights: arrival, every place visited, farewell.
    `LATERAL (SELECT least(p.length, cardinality(p.visits) + 2) AS shown) AS highlights
      CROSS JOIN generate_series(1, shown) AS n WHERE ${hasMarketing}`,
  ),
  programTable(
    "marketing_copy",
    {
      description: "p.description",
      accommodation_description: `CASE WHEN ${dice("accommodation", 5)} > 0 THEN c.accommodation END`,
      tags: `CASE WHEN ${dice("tags", 10)} > 0 THEN p.tags END`,
      included: `c.included[:2 + ${dice("included", "(cardinality(c.included) - 1)")}]`,
      // Some programs get an empty list.
      excluded: `c.excluded[:${dice("excluded", "(cardinality(c.excluded) + 1)")}]`,
      visits: "p.visits",
    },
    `generate_series(1, 1) AS n WHERE ${hasMarketing}`,
  ),
  programTable(
    "media",
    {
      ...{ position: "n" },
      kind: "CASE n WHEN 1 THEN 'cover' WHEN pictures THEN 'print' ELSE 'gallery' END::booking.media_kind",
      // The same table has material for printers, which is not published.
      url: `CASE n WHEN 1 THEN ${picture} || 'cover.jpg'
              WHEN pictures THEN 'https://print.example.com/${canaryMark}media.print-' || p.code || '.tif'
              ELSE ${picture} || n - 1 || '.jpg' END`,
    },
    `LATERAL (SELECT 3 + ${dice("media", 3)} AS pictures) AS shown CROSS JOIN generate_series(1, pictures) AS n
      WHERE ${hasMarketing}`,
  ),
  programTable(
    "faq",
    { position: "n", question: "c.faq[chosen][1]", answer: "c.faq[chosen][2]" },
    `generate_series(1, 3) AS n
      CROSS JOIN LATERAL (SELECT 1 + (${dice("faq", questions)} + n) % ${questions} AS chosen) AS choice WHERE ${hasMarketing}`,
  ),
];
