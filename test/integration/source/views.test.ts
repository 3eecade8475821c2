import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withSourceClient } from "../../../cli/database/source-client.ts";
import { canaryMark } from "../../../cli/demo/booking/private-columns.ts";
import { seedSource } from "../../../cli/demo/booking/seed-source.ts";
import { contractViews, sqlTypes } from "../../../cli/publish/source/contract.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const options = { seed: "1", today: new Date().toISOString().slice(0, 10), replace: false };
  await withSourceClient({ databaseUrl: database.url }, (client) =>
    seedSource(client, { ...options, tenants: 5, programs: 24 }),
  );
});

afterAll(async () => {
  await database.drop();
});

describe("the reference views", () => {
  test.each(contractViews)("$name has exactly the columns of the contract, with its types", async (view) => {
    const columns = await database.query<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
        WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
      [`partner_source.${view.name}`],
    );
    expect(columns).toEqual(
      Object.entries(view.columns).map(([name, kind]) => ({ name, type: sqlTypes[kind] })),
    );
  });

  test("the schema holds the ten views of the contract and nothing else", async () => {
    const relations = await database.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'partner_source'::regnamespace ORDER BY 1",
    );
    expect(relations.map(({ name }) => name)).toEqual(contractViews.map(({ name }) => name).sort());
  });

  test("a role with USAGE on the schema and SELECT on the views reads every view and no table behind them", async () => {
    const reader = new pg.Client({ connectionString: await database.createReader() });
    await reader.connect();
    try {
      for (const { name } of contractViews) {
        const { rows } = await reader.query<{ rows: number }>(
          `SELECT count(*)::integer AS rows FROM (SELECT * FROM partner_source.${name}) AS view`,
        );
        expect(rows[0]?.rows, name).toBeGreaterThan(0);
      }
      await expect(reader.query("SELECT FROM booking.programs")).rejects.toMatchObject({ code: "42501" });
    } finally {
      await reader.end();
    }
  });

  test.each(contractViews)("no private text is in $name", async ({ name }) => {
    const leaks = await database.query(
      `SELECT view::text FROM partner_source.${name} AS view WHERE view::text LIKE $1`,
      [`%${canaryMark}%`],
    );
    expect(leaks).toEqual([]);
    const [canary] = await database.query<{ rows: number }>(
      "SELECT count(*)::integer AS rows FROM booking.programs WHERE daily_plan LIKE $1",
      [`%${canaryMark}%`],
    );
    expect(canary?.rows).toBe(120);
  });

  test.each(contractViews)(
    "a condition on the tenant reaches an index of every company's table behind $name",
    async ({ name }) => {
      // With so few rows the planner would rather read a whole table: it is only asked what it could do.
      await database.query("SET enable_seqscan = off");
      const plan = await database.query<{ "QUERY PLAN": string }>(
        `EXPLAIN SELECT * FROM partner_source.${name} WHERE tenant_id::text = 'atlas-journeys'`,
      );
      await database.query("RESET enable_seqscan");
      const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
      expect(text).not.toContain("Seq Scan");
      expect(text).toMatch(/Index Cond: .*'atlas-journeys'/);
    },
  );

  test("the currency is the program's own, else the company's", async () => {
    const currencies = await database.query<{ own: string | null; shown: string; home: string }>(
      `SELECT DISTINCT p.currency AS own, v.currency AS shown, c.default_currency AS home
         FROM booking.programs AS p JOIN booking.companies AS c ON c.code = p.company_code
         JOIN partner_source.programs AS v ON v.tenant_id = p.company_code AND v.program_id = p.code`,
    );
    expect(currencies.length).toBeGreaterThan(5);
    expect(currencies.filter(({ own, shown, home }) => shown !== (own ?? home))).toEqual([]);
  });

  test("staff other than guides and teachers, and pictures for printers, are in no view", async () => {
    const roles = await database.query<{ role: string }>(
      "SELECT DISTINCT role FROM partner_source.staff ORDER BY 1",
    );
    expect(roles).toEqual([{ role: "lead_guide" }, { role: "teacher" }]);
    const [pictures] = await database.query<{ shown: number; all: number }>(
      `SELECT (SELECT sum(cardinality(gallery_urls)) + count(cover_url) FROM partner_source.programs)::integer AS shown,
              (SELECT count(*) FROM booking.media WHERE kind <> 'print')::integer AS all`,
    );
    expect(pictures?.shown).toBe(pictures?.all);
    expect(pictures?.shown).toBeGreaterThan(0);
  });
});

describe("the lifecycle state of the reference view", () => {
  async function stateAt(
    instant: string,
    {
      state = "active",
      departure = "2027-03-20",
      back = "2027-03-27" as string | null,
      zone = "Europe/Istanbul",
    },
  ): Promise<string | undefined> {
    const [row] = await database.query<{ state: string }>(
      "SELECT booking.lifecycle_state($1, $2, $3, $4, $5) AS state",
      [state, departure, back, zone, instant],
    );
    return row?.state;
  }

  test("an active program ends at midnight after its last day, where the company is at home", async () => {
    // Istanbul is three hours ahead of UTC.
    expect(await stateAt("2027-03-27T20:59:59.999Z", {})).toBe("active");
    expect(await stateAt("2027-03-27T21:00:00Z", {})).toBe("ended");
    // New York is four hours behind, since daylight saving time began on 14 March.
    expect(await stateAt("2027-03-28T03:59:59.999Z", { zone: "America/New_York" })).toBe("active");
    expect(await stateAt("2027-03-28T04:00:00Z", { zone: "America/New_York" })).toBe("ended");
  });

  test("without a return date, or with one before the departure, the departure is the last travel date", async () => {
    expect(await stateAt("2027-03-20T12:00:00Z", { back: null })).toBe("active");
    expect(await stateAt("2027-03-21T12:00:00Z", { back: null })).toBe("ended");
    expect(await stateAt("2027-03-20T12:00:00Z", { back: "2027-03-01" })).toBe("active");
    expect(await stateAt("2027-03-21T12:00:00Z", { back: "2027-03-01" })).toBe("ended");
  });

  test("a program that is not active keeps its state, however long ago it was", async () => {
    for (const state of ["draft", "cancelled", "completed", "archived"]) {
      expect(await stateAt("2030-01-01T00:00:00Z", { state })).toBe(state);
    }
  });

  test("the view takes each company's own time zone and the current time", async () => {
    // At any instant it is a day later on Kiritimati than in Pago Pago.
    await database.query(`
      INSERT INTO booking.companies (code, name, time_zone, default_currency) VALUES
        ('pago', 'Pago', 'Pacific/Pago_Pago', 'USD'), ('kiritimati', 'Kiritimati', 'Pacific/Kiritimati', 'AUD')`);
    await database.query(`
      INSERT INTO booking.programs (company_code, code, name, state, departure_date, return_date)
      SELECT company, 'P1', 'Today in Pago Pago', 'active', today, today
        FROM unnest(ARRAY['pago', 'kiritimati']) AS company, CAST(now() AT TIME ZONE 'Pacific/Pago_Pago' AS date) AS today`);
    const states = await database.query<{ tenant_id: string; lifecycle_state: string }>(
      "SELECT tenant_id, lifecycle_state FROM partner_source.programs WHERE program_id = 'P1' ORDER BY 1",
    );
    expect(states).toEqual([
      { tenant_id: "kiritimati", lifecycle_state: "ended" },
      { tenant_id: "pago", lifecycle_state: "active" },
    ]);
  });
});
