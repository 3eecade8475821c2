import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withSourceClient } from "../../../cli/database/source-client.ts";
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
});

function without(view: string): string {
  return `NOT EXISTS (SELECT FROM partner_source.${view} AS c WHERE c.tenant_id = p.tenant_id AND c.program_id = p.program_id)`;
}
