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

  test.each([
    ["programs.name", { name: "\u2003\u00a0" }, "error program_name_blank"],
    ["programs.name", { name: null }, "error program_name_blank"],
    ["programs.program_id", { program_id: "a/b" }, "error program_id_invalid"],
    ["programs.program_id", { program_id: ".." }, "error program_id_invalid"],
    ["programs.program_id", { program_id: "P2\n" }, "error program_id_invalid"],
    ["programs.program_id", { program_id: null }, "error program_id_invalid"],
    ["programs.lifecycle_state", { lifecycle_state: "on hold" }, "error lifecycle_state_unknown"],
    ["programs.lifecycle_state", { lifecycle_state: null }, "error lifecycle_state_unknown"],
    ["programs.departure_date", { departure_date: "infinity" }, "warning date_out_of_range"],
    ["programs.return_date", { return_date: "0044-03-15 BC" }, "warning date_out_of_range"],
    [
      "programs.return_date",
      { departure_date: "2027-02-02", return_date: "2027-02-01" },
      "warning dates_reversed",
    ],
    ["programs.capacity_total", { capacity_total: null }, "warning capacity_total_invalid"],
    ["programs.capacity_total", { capacity_total: -1 }, "warning capacity_total_invalid"],
    ["programs.currency", { currency: "EURO" }, "warning currency_invalid"],
    ["programs.cover_url", { cover_url: "http://example.com/a.jpg" }, "warning url_dropped"],
    ["programs.cover_url", { cover_url: "https://user@example.com/a.jpg" }, "warning url_dropped"],
    ["programs.cover_url", { cover_url: "/a.jpg" }, "warning url_dropped"],
    ["programs.gallery_urls", { gallery_urls: ["https://example.com", "ftp://x"] }, "warning url_dropped"],
    ["programs.visits", { visits: ["Petra", " "] }, "warning text_missing"],
    ["programs.included", { included: [null] }, "warning text_missing"],
  ])("%s of a program to be published: %o is the %s", async (where, row, problem) => {
    const sound = { program_id: "P2", name: "Other", lifecycle_state: "active", capacity_total: 1 };
    await insert("programs", { ...sound, ...row });
    expect(await found()).toEqual([`${problem} ${where}`]);
  });

  test("only publishable programs are held against the rules of what is published", async () => {
    await insert("programs", { program_id: "a/b", name: "", lifecycle_state: "draft", currency: "?" });
    expect(await found()).toEqual([]);
  });

  test.each([
    ["room_prices.null", { occupancy: 0, amount: 1 }, "room_price_dropped"],
    ["room_prices.null", { occupancy: null, amount: 1 }, "room_price_dropped"],
    ["room_prices.null", { occupancy: 1, amount: 0 }, "room_price_dropped"],
    ["room_prices.null", { occupancy: 1, amount: "NaN" }, "room_price_dropped"],
    ["room_prices.null", { occupancy: 1, amount: "Infinity" }, "room_price_dropped"],
    ["room_prices.null", { occupancy: 1, amount: null }, "room_price_dropped"],
    ["child_prices.null", { min_age: -1, max_age: 1, amount: 1 }, "child_price_dropped"],
    ["child_prices.null", { min_age: 3, max_age: 2, amount: 1 }, "child_price_dropped"],
    ["child_prices.null", { min_age: 3, max_age: null, amount: 1 }, "child_price_dropped"],
    ["child_prices.null", { min_age: 0, max_age: 1, amount: -1 }, "child_price_dropped"],
    ["hotel_stays.star_level", { position: 1, name: "Inn", star_level: 0 }, "star_level_invalid"],
    ["hotel_stays.check_out", { position: 1, name: "Inn", check_out: "infinity" }, "date_out_of_range"],
    ["hotel_stays.null", { position: 1, name: " " }, "stay_empty"],
    ["enrollments.role", { role: "driver" }, "enrollment_role_unknown"],
    ["enrollments.role", { role: null }, "enrollment_role_unknown"],
    ["staff.role", { position: 1, role: "driver", name: "A" }, "staff_role_unknown"],
    ["staff.name", { position: 1, role: "teacher", name: "\t" }, "text_missing"],
    ["staff.gender", { position: 1, role: "teacher", name: "A", gender: "other" }, "gender_invalid"],
    ["flights.airline_code", { position: 1, airline_code: "" }, "text_missing"],
    [
      "flights.airline_logo_url",
      { position: 1, airline_code: "XY", airline_logo_url: "logo.svg" },
      "url_dropped",
    ],
    ["itinerary.title", { position: 1, title: null, description: "Lost" }, "text_missing"],
    ["faq.question", { position: 1, question: " ", answer: "!" }, "text_missing"],
    ["faq.answer", { position: 1, question: "?", answer: null }, "text_missing"],
  ])("%s: %o is the warning %s", async (where, row, code) => {
    await insert(where.split(".")[0] ?? "", { program_id: "P1", ...row });
    expect(await found()).toEqual([`warning ${code} ${where}`]);
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

  test("two programs of one tenant with the same id are an error; of two tenants they are not", async () => {
    await insert("tenants", { tenant_id: "other", name: "Other" });
    await insert("programs", {
      tenant_id: "other",
      program_id: "P1",
      name: "B",
      lifecycle_state: "active",
      capacity_total: 1,
    });
    expect(await found()).toEqual([]);
    await insert("programs", { program_id: "P1", name: "B", lifecycle_state: "active", capacity_total: 1 });
    expect(await found()).toEqual(["error program_id_duplicate programs.program_id"]);
  });

  test("an ill-formed tenant id is an error, a tenant listed twice a warning", async () => {
    await insert("tenants", { tenant_id: "no spaces", name: "A" });
    await insert("tenants", { tenant_id: "acme", name: "Acme again" });
    expect(await found()).toEqual([
      "error tenant_id_invalid tenants.tenant_id",
      "warning tenant_duplicate tenants.tenant_id",
    ]);
  });

  test("programs of tenants that do not exist are passed over with a warning", async () => {
    await insert("programs", {
      tenant_id: "ghost",
      program_id: "G1",
      name: "G",
      lifecycle_state: "active",
      capacity_total: 1,
    });
    await insert("programs", { tenant_id: "ghost", program_id: "G2", name: "G", lifecycle_state: "draft" });
    const { problems } = await check();
    expect(problems).toMatchObject([
      {
        severity: "warning",
        code: "programs_of_unknown_tenant",
        count: 2,
        examples: [{ tenantId: "ghost", programId: null, value: "2 program(s)" }],
      },
    ]);
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

  test("of several lead guides all but the first are named", async () => {
    for (const position of [1, 2, 3])
      await insert("staff", { program_id: "P1", position, role: "lead_guide", name: "A" });
    expect(await found()).toEqual(["warning lead_guide_surplus staff.role"]);
  });

  test("a problem of many rows gives their number, and distinct values with counts up to a bound", async () => {
    await client.query(
      "INSERT INTO partner_source.room_prices (tenant_id, program_id, occupancy, amount) SELECT 'acme', 'P1', 2, -least(n, 500) FROM generate_series(1, 1000) AS n",
    );
    const { problems } = await check();
    expect(problems).toMatchObject([{ code: "room_price_dropped", count: 1000 }]);
    expect(problems[0]?.examples).toHaveLength(100);
    expect(problems[0]?.examples[0]).toMatchObject({ programId: "P1", count: 1 });
  });

  test("a view that fails while it is read is an error with the database's words", async () => {
    // The failing query would spoil the transaction of the other tests.
    await client.query("ROLLBACK");
    await client.query("ALTER TABLE partner_source.faq RENAME TO real_faq");
    await client.query(`
      CREATE VIEW partner_source.faq AS
      SELECT 'acme' AS tenant_id, (1 / (random() * 0)::integer)::text AS program_id, 1 AS position,
             '?' AS question, '!' AS answer`);
    await client.query("BEGIN");
    const { rows, problems } = await check();
    await client.query("ROLLBACK");
    await client.query("DROP VIEW partner_source.faq");
    await client.query("ALTER TABLE partner_source.real_faq RENAME TO faq");
    expect(rows?.faq).toBeNull();
    expect(problems).toMatchObject([{ severity: "error", code: "view_unreadable", view: "faq" }]);
    expect(problems[0]?.message).toContain("division by zero");
  });
});

describe("checkSource", () => {
  test("a broken structure hides the rows, which could not be trusted", async () => {
    await client.query("ALTER TABLE partner_source.programs DROP COLUMN visits");
    const report = await check();
    expect(report).toMatchObject({ isBroken: true, rows: null, problems: [{ code: "column_missing" }] });
  });

  test("the contract is broken by errors, not by warnings", async () => {
    await insert("enrollments", { program_id: "P1", role: "driver" });
    expect(await check()).toMatchObject({
      isBroken: false,
    });
    await insert("programs", { program_id: "P2", name: "A", lifecycle_state: "?" });
    expect(await check()).toMatchObject({
      isBroken: true,
    });
  });
});
