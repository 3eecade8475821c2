import { beforeEach, describe, expect, test } from "vitest";
import type { SourceReport } from "../../../cli/operate/source-check/check-source.ts";
import { freshWorkbench } from "../../support/workbench.ts";

const bench = freshWorkbench("acme", "beta");
const now = new Date("2026-11-21T12:00:00Z");

async function check(): Promise<SourceReport & { readonly text: string; readonly codes: readonly string[] }> {
  const report: SourceReport = JSON.parse((await bench.run(["source", "check", "--json"], { now })).stdout);
  const { stdout: text } = await bench.run(["source", "check"], { now });
  const codes = report.problems.map(({ code, view, column }) => `${code} ${view}.${column}`);
  return { ...report, text, codes };
}

beforeEach(async () => {
  const dated = { departure_date: "2027-05-01", return_date: "2027-05-08", currency: "EUR" };
  await bench.insertPrograms(
    "acme",
    { program_id: "a", ...dated, legacy_price: 100 },
    { program_id: "b", ...dated, legacy_price: 300.5, departure_date: "2027-03-01", capacity_total: 1 },
    { program_id: "c", ...dated, legacy_price: 900, currency: "usd" },
    { program_id: "d", ...dated, legacy_price: 200 },
    { program_id: "e", name: " " },
    { program_id: "f", lifecycle_state: "Draft" },
    { program_id: "g", lifecycle_state: "weird" },
  );
  await bench.insertPrograms("beta", { program_id: "z" });
  await bench.insertRows("enrollments", "acme", "b", { status: "paid", role: "passenger" });
  await bench.insertRows("faq", "acme", "a", { question: "?", answer: "!" });
});

describe("D137 the tables of a check", () => {
  test("show states, currencies and tenants, for people and for programs", async () => {
    const { tables, text } = await check();
    const counts = (programs: number, published: number, unpublished: number) => {
      return { programs, published, unpublished, leftOut: programs - published - unpublished };
    };
    const facts = { firstDeparture: "2027-03-01", lastDeparture: "2027-05-01", withoutPrice: 0, soldOut: 1 };
    const none = { firstDeparture: null, lastDeparture: null, withoutPrice: 1, soldOut: 0 };
    expect(tables).toEqual({
      states: [
        { state: "active", ...counts(6, 5, 0) },
        { state: "draft", ...counts(1, 0, 1) },
        { state: "weird", ...counts(1, 0, 0) },
      ],
      currencies: [
        { currency: "EUR", programs: 3, lowest: 100, median: 200, highest: 300.5 },
        { currency: "USD", programs: 1, lowest: 900, median: 900, highest: 900 },
      ],
      tenants: [
        {
          tenantId: "acme",
          active: 5,
          ...facts,
          rows: expect.objectContaining({ programs: 7, enrollments: 1, faq: 1 }),
        },
        { tenantId: "beta", active: 1, ...none, rows: { tenants: 1, programs: 1 } },
      ],
    });
    expect(text).toMatch(/^active +6 +5 +0 +1$/m);
    expect(text).toMatch(/^EUR +3 +100 +200 +300\.5$/m);
    expect(text).toMatch(/^acme +5 +2027-03-01 +2027-05-01 +0 +1$/m);
    expect(text).toMatch(/^TENANT ID +PROGRAMS +ENROLLMENTS +FAQ$/m);
  });

  test("leave a finding its count, also where its value is the id of its first program", async () => {
    await bench.insertPrograms(
      "beta",
      { program_id: "1", lifecycle_state: "1" },
      { program_id: "2", lifecycle_state: "1" },
    );
    expect((await check()).text).toMatch(/^ +1 \(2\): beta \/ 1, \.\.\.$/m);
  });

  test("show the first twenty tenants by size, and name how many more there are", async () => {
    for (let n = 1; n <= 20; n += 1) await bench.source.insert("tenants", { tenant_id: `t${n}` });
    await bench.insertMany("t20", 9);
    const { tables, text } = await check();
    expect(tables?.tenants.map(({ tenantId }) => tenantId).slice(0, 3)).toEqual(["t20", "acme", "beta"]);
    expect(tables?.tenants).toHaveLength(22);
    expect(text.match(/^(t\d+|acme|beta) +\d+ +\S+ +\S+ +\d+ +\d+$/gm)).toHaveLength(20);
    expect(text).toContain("2 smaller tenants not shown (see --json).");
  });

  test("have the states of a tenant at one of whose rows a view fails, by one more question", async () => {
    await bench.source.query("ALTER TABLE partner_source.faq RENAME TO real_faq");
    await bench.source.query(`
      CREATE VIEW partner_source.faq AS
        SELECT tenant_id, program_id, (1 / length(answer) - 1)::int AS position, question, answer FROM partner_source.real_faq`);
    await bench.source.query("UPDATE partner_source.real_faq SET answer = ''");
    const { tables, codes } = await check();
    await bench.source.query(
      "DROP VIEW partner_source.faq; ALTER TABLE partner_source.real_faq RENAME TO faq",
    );
    expect(codes).toContain("view_unreadable faq.null");
    expect(tables?.tenants[0]).toMatchObject({ tenantId: "acme", active: 5, firstDeparture: null });
    expect(tables?.states[0]).toEqual({
      state: "active",
      programs: 6,
      published: 1,
      unpublished: 0,
      leftOut: 5,
    });
  });
});

describe("D135 one round tells all: rows are looked at though a view has an error", () => {
  /** Breaks the contract and mends it again. */
  async function whileBroken(sql: string, mend: string) {
    await bench.source.query(sql);
    const found = await check();
    await bench.source.query(mend);
    return found;
  }

  test("in other views and in other columns of programs, and nothing is said of what is not read", async () => {
    await bench.insertRows("hotel_stays", "acme", "a", { name: "Inn", star_level: 9 });
    const { codes, rows, published, tables, isBroken, unread, text } = await whileBroken(
      `ALTER TABLE partner_source.programs ALTER departure_date TYPE timestamp, DROP guide_name;
       ALTER TABLE partner_source.faq RENAME TO hidden_faq;
       ALTER TABLE partner_source.room_prices ALTER amount TYPE double precision`,
      `ALTER TABLE partner_source.programs ALTER departure_date TYPE date, ADD guide_name text;
       ALTER TABLE partner_source.hidden_faq RENAME TO faq;
       ALTER TABLE partner_source.room_prices ALTER amount TYPE numeric`,
    );
    expect(codes).toEqual([
      "column_type programs.departure_date",
      "column_missing programs.guide_name",
      "column_type room_prices.amount",
      "view_missing faq.null",
      "program_name_blank programs.name",
      "lifecycle_state_unknown programs.lifecycle_state",
      "star_level_invalid hotel_stays.star_level",
    ]);
    expect([isBroken, published]).toEqual([true, null]);
    expect(rows).toMatchObject({ programs: 8, enrollments: 1, room_prices: null, faq: null });
    expect(tables?.tenants[0]).toMatchObject({
      tenantId: "acme",
      active: 5,
      firstDeparture: null,
      soldOut: 1,
    });
    expect(unread).toEqual(["programs.departure_date", "programs.guide_name", "room_prices", "faq"]);
    expect(text).toContain(`Not read because of errors, so empty here: ${unread.join(", ")}.`);
    expect(text).toMatch(/The contract is broken: 6 errors, 1 warning \(2 tenants, 8 programs\)\.\n$/);
  });

  test("also where a row of a broken view fails", async () => {
    const { codes } = await whileBroken(
      `ALTER TABLE partner_source.programs RENAME TO real_programs;
       CREATE VIEW partner_source.programs AS
         SELECT tenant_id, program_id, name, lifecycle_state, departure_date, return_date, (1 / (length(program_id) - 1))::int AS capacity_total
           FROM partner_source.real_programs`,
      "DROP VIEW partner_source.programs; ALTER TABLE partner_source.real_programs RENAME TO programs",
    );
    expect(codes.filter((code) => !code.startsWith("column_missing"))).toContain(
      "view_unreadable programs.null",
    );
  });

  test.each([
    [
      "ALTER TABLE partner_source.tenants RENAME TO hidden",
      "ALTER TABLE partner_source.hidden RENAME TO tenants",
    ],
    [
      "ALTER TABLE partner_source.programs RENAME TO hidden",
      "ALTER TABLE partner_source.hidden RENAME TO programs",
    ],
    [
      "ALTER TABLE partner_source.programs RENAME program_id TO id",
      "ALTER TABLE partner_source.programs RENAME id TO program_id",
    ],
  ])("but for what tells whose rows they are: %s", async (sql, mend) => {
    const { rows, tables, text } = await whileBroken(sql, mend);
    expect([rows, tables]).toEqual([null, null]);
    expect(text).toContain("Rows were not looked at");
  });
});
