import { once } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withSourceClient } from "../../../cli/database/source-client.ts";
import {
  canaryMark,
  privateAmountColumns,
  privateTextColumns,
} from "../../../cli/demo/booking/private-columns.ts";
import { type SeedOptions, type SeedReport, seedSource } from "../../../cli/demo/booking/seed-source.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
const today = new Date().toISOString().slice(0, 10);
const defaults: SeedOptions = { seed: "1", today, tenants: 5, programs: 24, replace: false };

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
});

async function seed(options: Partial<SeedOptions> = {}, url = database.url): Promise<SeedReport> {
  return await withSourceClient({ databaseUrl: url }, (client) =>
    seedSource(client, { ...defaults, ...options }),
  );
}

/** A digest of every column of every table, but for the times at which rows were written. */
async function contents(of: TestDatabase = database): Promise<Record<string, string>> {
  const tables = await of.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'booking'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'schema%' ORDER BY 1",
  );
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await of.query<{ digest: string }>(
      `SELECT md5(string_agg((to_jsonb(t) - 'created_at' - 'updated_at')::text, '' ORDER BY to_jsonb(t)::text)) AS digest FROM booking.${name} AS t`,
    );
    digests[name] = row?.digest ?? "empty";
  }
  return digests;
}

/** Constraints, indexes and triggers with their state. */
async function schemaParts(): Promise<readonly unknown[]> {
  return await database.query(`
    SELECT conrelid::regclass::text AS owner, conname AS name, pg_get_constraintdef(oid) || convalidated AS definition
      FROM pg_constraint WHERE connamespace = 'booking'::regnamespace
    UNION ALL SELECT schemaname || '.' || tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'booking'
    UNION ALL SELECT tgrelid::regclass::text, tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
    ORDER BY 1, 2, 3`);
}

describe("seedSource", () => {
  test("the same seed and date give the same rows, in another database too", async () => {
    await seed();
    const first = await contents();
    await seed({ seed: "2" });
    expect(await contents()).not.toEqual(first);
    await seed();
    expect(await contents()).toEqual(first);

    const other = await createTestDatabase();
    await seed({}, other.url);
    expect(await contents(other)).toEqual(first);
    await other.drop();
  });

  test("the report counts what is there", async () => {
    const report = await seed();
    expect(report).toMatchObject({ seed: "1", date: today, tenants: 5, programs: 120 });
    for (const [table, rows] of Object.entries(report.rows)) {
      const counted = await database.query(`SELECT count(*)::integer AS rows FROM booking.${table}`);
      expect(counted, table).toEqual([{ rows }]);
    }
  });

  test("constraints, indexes and triggers are as before, and statistics are fresh", async () => {
    const before = await schemaParts();
    await seed({ seed: "3" });
    expect(await schemaParts()).toEqual(before);
    const [enrollments] = await database.query<{ reltuples: number }>(
      "SELECT reltuples::integer FROM pg_class WHERE oid = 'booking.enrollments'::regclass",
    );
    expect(enrollments?.reltuples).toBeGreaterThan(500);
  });

  test("the default has, for every company, all states, sold-out and overbooked programs and every gap", async () => {
    await seed();
    const taken = `(SELECT count(*) FROM partner_source.enrollments AS e
      WHERE e.tenant_id = p.tenant_id AND e.program_id = p.program_id AND e.role = 'passenger'
        AND coalesce(e.status, '') NOT IN ('cancelled', 'rejected', 'expired', 'refunded', 'withdrawn', 'no_show'))`;
    const has = (condition: string): string => `bool_or(lifecycle_state = 'active' AND ${condition})`;
    const rows = await database.query(`
      SELECT count(DISTINCT lifecycle_state) AS states,
             ${has(`${taken} = capacity_total`)} AS sold_out,
             ${has(`${taken} > capacity_total`)} AS overbooked,
             ${has("capacity_total IS NULL")} AS no_capacity,
             ${has("departure_date IS NULL AND return_date IS NULL")} AS no_dates,
             ${has("departure_date IS NOT NULL AND return_date IS NULL")} AS no_return,
             ${has("return_date < departure_date")} AS reversed,
             ${has("return_date = departure_date")} AS one_day,
             ${has(`legacy_price > 0 AND ${without("room_prices")}`)} AS legacy_only,
             ${has(`legacy_price IS NULL AND ${without("room_prices")}`)} AS no_price,
             ${has("description IS NULL AND cover_url IS NULL AND guide_name IS NULL")} AS no_marketing,
             ${has("EXISTS (SELECT FROM partner_source.enrollments AS e WHERE e.tenant_id = p.tenant_id AND e.program_id = p.program_id AND e.role = 'staff')")} AS staff
        FROM partner_source.programs AS p GROUP BY tenant_id`);
    const all = {
      sold_out: true,
      overbooked: true,
      no_capacity: true,
      no_dates: true,
      no_return: true,
      reversed: true,
    };
    const rest = { one_day: true, legacy_only: true, no_price: true, no_marketing: true, staff: true };
    expect(rows).toEqual(Array.from({ length: 5 }, () => ({ states: "6", ...all, ...rest })));
  });

  test("names are in Latin with accents, written from right to left, and in CJK characters beyond 16 bits", async () => {
    await seed();
    const [scripts] = await database.query(
      `SELECT bool_or(name ~ '[\\u00C0-\\u017F]') AS accents, bool_or(name ~ '[\\u0600-\\u06FF]') AS arabic,
              bool_or(name ~ '[\\u3040-\\u9FFF]') AS cjk, bool_or(name ~ '[\\U00020000-\\U0002FFFF]') AS beyond
         FROM (SELECT name FROM partner_source.programs UNION ALL SELECT name FROM partner_source.staff
               UNION ALL SELECT name FROM partner_source.hotel_stays) AS named`,
    );
    expect(scripts).toEqual({ accents: true, arabic: true, cjk: true, beyond: true });
  });

  test("private columns hold canaries and odd cents, and public ones neither", async () => {
    await seed();
    const rows = await database.query<{ table: string; cells: Record<string, unknown> }>(
      Object.keys(privateTextColumns)
        .map((table) => `SELECT '${table}' AS table, to_jsonb(t) AS cells FROM booking.${table} AS t`)
        .join(" UNION ALL "),
    );
    // Rows that no view shows: pictures for printers, and people who drive.
    const isHidden = (cells: Record<string, unknown>): boolean =>
      cells.kind === "print" || String(cells.display_name).startsWith(canaryMark);
    const isIn = (
      list: Readonly<Record<string, readonly string[]>>,
      table: string,
      column: string,
    ): boolean => list[table]?.includes(column) === true;
    const wrong = new Set<string>();
    const held = new Set<string>();
    for (const { table, cells } of rows) {
      for (const [column, value] of Object.entries(cells)) {
        if (value === null || isHidden(cells)) continue;
        const [hasCanary, hasCents] = [String(value).includes(canaryMark), /^\d+\.37$/.test(String(value))];
        const expected = [isIn(privateTextColumns, table, column), isIn(privateAmountColumns, table, column)];
        if (hasCanary !== expected[0] || hasCents !== expected[1]) wrong.add(`${table}.${column}`);
        if (hasCanary || hasCents) held.add(`${table}.${column}`);
      }
    }
    const lists: Readonly<Record<string, readonly string[]>>[] = [privateTextColumns, privateAmountColumns];
    const listed = lists.flatMap((list) =>
      Object.entries(list).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)),
    );
    expect([...wrong]).toEqual([]);
    expect([...held].sort()).toEqual(listed.sort());
  });

  test("every text column of the schema is listed as private, or is public, or only identifies", async () => {
    const columns = await database.query<{ table: string; column: string }>(`
      SELECT table_name AS table, column_name AS column FROM information_schema.columns
       WHERE table_schema = 'booking' AND data_type IN ('text', 'ARRAY') AND table_name NOT LIKE 'schema_%' AND table_name <> 'sample_data'
       ORDER BY 1, 2`);
    const isPrivate = ({ table, column }: { table: string; column: string }): boolean =>
      Object.entries(privateTextColumns).some(
        ([name, list]) => name === table && list.some((each) => each === column),
      );
    const others = columns
      .filter((each) => !isPrivate(each))
      .map(({ table, column }) => `${table}.${column}`);
    // A new text column must be put into this list or into that of private columns.
    expect(
      others.filter((name) => !/\.(company_|program_|hotel_|room_type_|airline_)?code$/.test(name)),
    ).toEqual([
      "airlines.logo_url",
      "airlines.name",
      "companies.default_currency",
      "companies.name",
      "companies.time_zone",
      "faq.answer",
      "faq.question",
      "hotels.city",
      "hotels.country",
      "hotels.name",
      "marketing_copy.accommodation_description",
      "marketing_copy.description",
      "marketing_copy.excluded",
      "marketing_copy.included",
      "marketing_copy.tags",
      "marketing_copy.visits",
      "media.url",
      "program_days.public_description",
      "program_days.title",
      "programs.category_subtype",
      "programs.category_type",
      "programs.currency",
      "programs.departure_point",
      "programs.guide_display_name",
      "programs.name",
      "room_types.label",
      "staff.display_name",
      "staff_assignments.role_label",
    ]);
  });

  test("fills as many tenants as asked for, without a query per row", async () => {
    const report = await seed({ tenants: 12, programs: 250 });
    expect(report).toMatchObject({ tenants: 12, programs: 3000 });
    const [counted] = await database.query(
      "SELECT count(DISTINCT tenant_id)::integer AS tenants, count(*)::integer AS programs FROM partner_source.programs",
    );
    expect(counted).toEqual({ tenants: 12, programs: 3000 });
  });

  test("tells the listeners of the companies that were there and of those that are", async () => {
    await seed({ tenants: 2 });
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    const heard: (string | undefined)[] = [];
    listener.on("notification", ({ payload }) => heard.push(payload));
    await listener.query("LISTEN partner_source_changed");
    await seed({ tenants: 1 });
    while (heard.length < 2) await once(listener, "notification");
    await listener.end();
    expect(heard.sort()).toEqual(["atlas-journeys", "kinneret-tours"]);
  });

  test("data that no seed created is kept, unless it is to be replaced", async () => {
    await seed();
    await database.query(
      "INSERT INTO booking.companies (code, name, time_zone, default_currency) VALUES ('real', 'Real', 'UTC', 'EUR')",
    );
    const before = await contents();
    await expect(seed()).rejects.toMatchObject({
      code: "source_contract",
      message: expect.stringMatching(/holds 1 companies .*\(real, .*--replace/),
    });
    expect(await contents()).toEqual(before);
    await seed({ replace: true });
    expect(await database.query("SELECT FROM booking.companies WHERE code = 'real'")).toEqual([]);
    await seed();
  });

  test("a database without the schema is refused with what to do", async () => {
    const empty = await createTestDatabase({ isEmpty: true });
    await expect(seed({}, empty.url)).rejects.toMatchObject({
      code: "source_contract",
      message: expect.stringContaining("source init"),
    });
    await empty.drop();
  });
});

function without(view: string): string {
  return `NOT EXISTS (SELECT FROM partner_source.${view} AS c WHERE c.tenant_id = p.tenant_id AND c.program_id = p.program_id)`;
}
