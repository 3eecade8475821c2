import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkSource, type SourceReport } from "../../../cli/operate/source-check/check-source.ts";
import { contractViews } from "../../../cli/publish/source/contract.ts";
import { standInView } from "../../../cli/publish/source/stand-in-views.ts";
import { cannedOptions } from "../../support/canned-source.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

/** Tables stand for the views here, so that any row can be put into them. Each test ends as if it had not been. */
let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true });
  await database.query("CREATE SCHEMA partner_source");
  for (const view of contractViews) {
    await database.query(standInView(view).replace("CREATE VIEW", "CREATE TABLE"));
  }
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await insert("tenants", { tenant_id: "acme", name: "Acme" });
  await insert("programs", {
    program_id: "P1",
    name: "Sound",
    lifecycle_state: "ACTIVE",
    capacity_total: 10,
  });
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

beforeEach(async () => {
  await client.query("BEGIN");
});

afterEach(async () => {
  await client.query("ROLLBACK");
});

async function insert(view: string, row: Record<string, unknown>): Promise<void> {
  const cells = view === "tenants" ? row : { tenant_id: "acme", ...row };
  const places = Object.keys(cells).map((_, at) => `$${at + 1}`);
  const sql = `INSERT INTO partner_source.${view} (${Object.keys(cells).join(", ")}) VALUES (${places.join(", ")})`;
  await client.query(sql, Object.values(cells));
}

async function check(): Promise<SourceReport> {
  const silent = { total: () => {}, tenantDone: () => {}, programs: () => {} };
  const noStore = (): Promise<never> => Promise.reject(new Error("there is no store"));
  return await checkSource(client, cannedOptions.rules, silent, noStore, new AbortController().signal);
}

async function found(): Promise<readonly string[]> {
  return (await check()).problems.map(
    ({ severity, code, view, column }) => `${severity} ${code} ${view}.${column}`,
  );
}

describe("the rows, as checkSource finds them", () => {
  test("finds nothing wrong with sound rows, and counts them", async () => {
    const program = { program_id: "P1" };
    await insert("room_prices", { ...program, occupancy: 2, amount: "0.01" });
    await insert("child_prices", { ...program, min_age: 0, max_age: 0, amount: 0 });
    await insert("hotel_stays", { ...program, position: 1, name: "Inn", star_level: 5 });
    await insert("enrollments", { ...program, status: "anything", role: "PASSENGER" });
    await insert("staff", { ...program, position: 1, role: "LEAD_GUIDE", name: "Zoë", gender: "MALE" });
    await insert("staff", { ...program, position: 2, role: "teacher", name: "Ümit", gender: " " });
    await insert("flights", {
      ...program,
      position: 1,
      airline_code: "XY",
      airline_logo_url: "https://x.example/@2x/logo.svg",
    });
    await insert("itinerary", { ...program, position: 1, title: "Arrival" });
    await insert("faq", { ...program, position: 1, question: "?", answer: "!" });
    const { rows, problems } = await check();
    expect(problems).toEqual([]);
    expect(rows).toMatchObject({ tenants: 1, programs: 1, staff: 2, faq: 1 });
  });

  test("the language of the database has no say: not its idea of lower case, nor different ones in two views", async () => {
    const turkish = 'TYPE text COLLATE "tr-x-icu"';
    await client.query(
      `ALTER TABLE partner_source.programs ALTER lifecycle_state ${turkish}, ALTER tenant_id ${turkish}`,
    );
    await client.query('ALTER TABLE partner_source.tenants ALTER tenant_id TYPE text COLLATE "de-x-icu"');
    await client.query('ALTER TABLE partner_source.faq ALTER program_id TYPE text COLLATE "de-x-icu"');
    await insert("faq", { program_id: "P1", position: 1, question: "?", answer: "!" });
    await insert("programs", { program_id: "P2", name: " ", lifecycle_state: "ACTIVE", capacity_total: 1 });
    expect(await found()).toEqual(["error program_name_blank programs.name"]);
  });

  test.each(contractViews.filter(({ isRequired }) => !isRequired))(
    "P104 rows of $name of programs or tenants that do not exist are passed over with a warning",
    async ({ name }) => {
      const sound = {
        room_prices: { occupancy: 2, amount: 1 },
        child_prices: { min_age: 0, max_age: 1, amount: 1 },
        hotel_stays: { name: "Inn" },
        enrollments: { role: "staff" },
        staff: { role: "teacher", name: "A" },
        flights: { airline_code: "XY" },
        itinerary: { title: "A" },
        faq: { question: "?", answer: "!" },
      }[name];
      await insert(name, { program_id: "P1", ...sound });
      await insert(name, { program_id: "P9", ...sound });
      await insert(name, { tenant_id: "ghost", program_id: "P1", ...sound });
      const { problems } = await check();
      expect(problems).toMatchObject([
        {
          severity: "warning",
          code: "rows_of_unknown_tenant",
          view: name,
          count: 1,
          examples: [{ tenantId: "ghost", programId: null, value: "1 row(s)" }],
        },
        {
          severity: "warning",
          code: "rows_of_unknown_program",
          view: name,
          count: 1,
          examples: [{ tenantId: "acme", programId: "P9", value: "the first of 1 such program id(s)" }],
        },
      ]);
    },
  );

  test("a problem of many rows gives their number, and distinct values with counts up to a bound", async () => {
    await client.query(
      "INSERT INTO partner_source.room_prices (tenant_id, program_id, occupancy, amount) SELECT 'acme', 'P1', 2, -least(n, 500) FROM generate_series(1, 1000) AS n",
    );
    const { problems } = await check();
    expect(problems).toMatchObject([{ code: "room_price_dropped", count: 1000 }]);
    expect(problems[0]?.examples).toHaveLength(100);
    expect(problems[0]?.examples[0]).toMatchObject({ programId: "P1", count: 1 });
  });
});

describe("checkSource", () => {
  test("a broken structure hides the rows, which could not be trusted", async () => {
    await client.query("ALTER TABLE partner_source.programs DROP COLUMN visits");
    const report = await check();
    expect(report).toMatchObject({ isBroken: true, rows: null, problems: [{ code: "column_missing" }] });
  });
});
