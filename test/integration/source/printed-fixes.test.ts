import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixLines } from "../../../cli/publish/source/problems-in-brief.ts";
import { type MendedSource, openMendedSource } from "../../support/mended-source.ts";

/**
 * P153: each printed fix is run on the fault that it is for, as a terminal shows it, and what is published afterwards is what was
 * published before the fault. Rights and comments of views: `mended-views.test.ts`; rows that policies hide: `hidden-rows.test.ts`.
 */
let source: MendedSource;

beforeEach(async () => {
  source = await openMendedSource();
});

afterEach(async () => {
  await source.close();
});

/** Gives a column of a table, and so of its view, another type. */
async function retype(view: string, column: string, type: string, using: string): Promise<void> {
  await source.query(`
    DROP VIEW partner_source.${view};
    ALTER TABLE travel.${view} ALTER COLUMN ${column} DROP DEFAULT, ALTER COLUMN ${column} TYPE ${type} USING ${using};
    CREATE VIEW partner_source.${view} AS SELECT * FROM travel.${view}`);
}

/** Pastes the SQL of every finding; returns it. */
async function pasteFixes(url?: string): Promise<string> {
  const { problems } = await source.check(url);
  expect(problems.map(({ fix }) => fix.kind)).toEqual(problems.map(() => "sql"));
  const scripts = [...new Set(problems.map(({ fix }) => fixLines(fix).slice(1).join("\n")))];
  for (const script of scripts) await source.query(script);
  return scripts.join("\n");
}

describe("P153 the fix of a column's type publishes what was published before", () => {
  const objects = `(SELECT jsonb_agg(jsonb_build_object('icon', 7, 'label', text, 'note', NULL)) FROM unnest(included) AS text)`;
  test.each([
    ["room_prices", "amount", "double precision", "amount"],
    ["room_prices", "amount", "money", "amount::money"],
    ["room_prices", "amount", "text", "amount::text"],
    ["room_prices", "amount", "jsonb", "to_jsonb(amount)"],
    ["room_prices", "occupancy", "numeric", "occupancy"],
    ["room_prices", "occupancy", "text", "occupancy::text"],
    ["programs", "capacity_total", "double precision", "capacity_total"],
    ["programs", "capacity_total", "jsonb", "to_jsonb(capacity_total)"],
    ["programs", "departure_date", "text", "departure_date::text"],
    ["programs", "departure_date", "jsonb", "to_jsonb(departure_date)"],
    ["programs", "departure_date", "timestamp", "departure_date + time '23:30'"],
    ["programs", "departure_date", "timestamptz", "(departure_date + time '23:30') AT TIME ZONE 'UTC'"],
    ["programs", "name", "jsonb", "to_jsonb(name)"],
    ["programs", "name", "json", "to_json(name)"],
    ["programs", "name", "jsonb", "jsonb_build_object('de', name, 'sort', 1)"],
    ["programs", "included", "jsonb", "to_jsonb(included)"],
    ["programs", "included", "json", "to_json(included)"],
    ["programs", "included", "text", "array_to_string(included, ',')"],
    ["programs", "included", "jsonb[]", "ARRAY[to_jsonb(included[1]), to_jsonb(included[2])]"],
  ])("%s.%s as %s, from %s", async (view, column, type, using) => {
    const before = await source.published();
    await retype(view, column, type, using);
    const faulty = await source.run(["snapshot", "build"]);
    expect(faulty.status, faulty.stderr).toBe(1);
    await pasteFixes();
    expect(await source.published()).toEqual(before);
  });

  test("P151 objects in JSON are named by their keys, and the text among them is taken", async () => {
    const before = await source.published();
    // ALTER TABLE takes no subquery.
    await source.query(`
      DROP VIEW partner_source.programs;
      ALTER TABLE travel.programs ADD COLUMN services jsonb;
      UPDATE travel.programs SET services = ${objects};
      ALTER TABLE travel.programs DROP COLUMN included;
      ALTER TABLE travel.programs RENAME COLUMN services TO included;
      CREATE VIEW partner_source.programs AS SELECT * FROM travel.programs`);
    const { problems } = await source.check();
    const message = expect.stringMatching(/ text\[\], but jsonb .* label, icon, note\./);
    expect(problems).toMatchObject([{ view: "programs", column: "included", message }]);
    const script = await pasteFixes();
    expect(script).toMatch(/only label .*icon or note/);
    expect(await source.published()).toEqual(before);
  });

  test("P151 no object is published as a text where its keys are not known", async () => {
    await retype("programs", "visits", "jsonb", `'[{"Straße": "Rom"}, "Bari", ["x"]]'`);
    const script = await pasteFixes();
    expect(script).toMatch(/ NULL where .* ->> 'key'/);
    const detail = (await source.published()).get("T1") ?? "";
    expect(JSON.parse(detail).data.content.visits).toEqual(["Bari"]);
  });
});

describe("P153 a fix that loses something says so", () => {
  test("a column that is missing is empty afterwards", async () => {
    await source.published();
    await source.query(`
      DROP VIEW partner_source.faq;
      CREATE VIEW partner_source.faq AS SELECT tenant_id, program_id, position, question FROM travel.faq`);
    const script = await pasteFixes();
    expect(script).toMatch(/^ *-- answer is NULL .* in place of NULL/m);
    const { problems } = await source.check();
    expect(problems.map(({ code }) => code)).toEqual(["text_missing"]);
  });

  test("a type without a text of its own is published as PostgreSQL prints it", async () => {
    await retype("programs", "description", "bytea", "convert_to(description, 'UTF8')");
    expect(await pasteFixes()).toMatch(/-- description is published .* bytea\n/);
  });
});

describe("P153 the fix of a right publishes what was published before", () => {
  let reader: string;
  let url: string;

  beforeEach(async () => {
    reader = await source.createRole("reader", "LOGIN PASSWORD 'reader'");
    await source.query(`
      GRANT USAGE ON SCHEMA partner_source TO ${reader};
      GRANT SELECT ON ALL TABLES IN SCHEMA partner_source TO ${reader}`);
    const asReader = new URL(source.url);
    [asReader.username, asReader.password] = [reader, "reader"];
    url = asReader.href;
  });

  test.each([
    ["the schema", "REVOKE USAGE ON SCHEMA partner_source FROM READER"],
    ["views", "REVOKE SELECT ON partner_source.room_prices, partner_source.programs FROM READER"],
    [
      "a view's caller",
      "ALTER VIEW partner_source.room_prices SET (security_invoker = on); GRANT USAGE ON SCHEMA travel TO READER; GRANT SELECT ON travel.room_prices TO READER; ALTER TABLE travel.room_prices ENABLE ROW LEVEL SECURITY",
    ],
  ])("of %s", async (_, plant) => {
    const before = await source.published(url);
    await source.query(plant.replaceAll("READER", reader));
    await pasteFixes(url);
    expect(await source.published(url)).toEqual(before);
  });

  test("of a view's owner from whom policies hide rows", async () => {
    const owner = await source.createRole("owner", "");
    const before = await source.published(url);
    await source.query(`
      GRANT USAGE ON SCHEMA travel TO ${owner};
      GRANT SELECT ON travel.room_prices TO ${owner};
      ALTER VIEW partner_source.room_prices OWNER TO ${owner};
      ALTER TABLE travel.room_prices ENABLE ROW LEVEL SECURITY`);
    await pasteFixes(url);
    expect(await source.published(url)).toEqual(before);
  });
});

describe("a missing view", () => {
  test("P150 whose data partners see is to be restored, and no empty view takes its place unasked", async () => {
    const before = await source.published();
    await source.query("ALTER VIEW partner_source.room_prices RENAME TO rates; DROP VIEW partner_source.faq");
    const { problems } = await source.check();
    expect(problems).toMatchObject([
      { view: "room_prices", message: expect.stringMatching(/restore the view; 3 programs .*room prices/) },
      { view: "faq", message: expect.stringMatching(/restore the view; 1 program .*questions/) },
    ]);
    const { status, stdout, stderr } = await source.run(["source", "init", "--views-only"]);
    expect([status, stdout]).toEqual([4, ""]);
    expect(stderr).toMatch(/ partner_source\.room_prices .*: 3 programs /);
    expect(stderr).toContain("source init --views-only --allow-empty room_prices faq\n");
    const half = await source.run(["source", "init", "--views-only", "--allow-empty", "faq"]);
    expect(half.status).toBe(4);
    expect((await source.check()).problems).toHaveLength(2);
    await source.query(`
      ALTER VIEW partner_source.rates RENAME TO room_prices;
      CREATE VIEW partner_source.faq AS SELECT * FROM travel.faq`);
    expect(await source.published()).toEqual(before);
  });

  test("P150 may be empty when that is said", async () => {
    await source.published();
    await source.query("DROP VIEW partner_source.staff, partner_source.child_prices");
    const { status, stdout } = await source.run(["source", "init", "--allow-empty", "staff"]);
    expect([status, stdout]).toEqual([
      0,
      "Created empty views: partner_source.child_prices, partner_source.staff.\n",
    ]);
    const detail = (await source.published()).get("T1") ?? "";
    expect(JSON.parse(detail).data.staff).toBeNull();
  });

  test("P150 is not known to be unseen where the store cannot be asked", async () => {
    await source.published();
    await writeFile(join(source.storeDirectory, "tenants/acme/current.json"), "{");
    await source.query("DROP VIEW partner_source.child_prices");
    const refused = await source.run(["source", "init", "--views-only"]);
    expect([refused.status, refused.stderr]).toEqual([
      4,
      expect.stringMatching(/not known .* partner_source\.child_prices/),
    ]);
    const allowed = await source.run(["source", "init", "--views-only", "--allow-empty", "child_prices"]);
    expect(allowed.status).toBe(0);
  });

  test("P150 holds nothing against data of tenants that this source does not list", async () => {
    await source.published();
    await source.query(`
      UPDATE travel.tenants SET tenant_id = 'other';
      UPDATE travel.programs SET tenant_id = 'other';
      DROP VIEW partner_source.faq`);
    expect((await source.check()).problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/restore it if .* an empty one/),
    ]);
    expect((await source.run(["source", "init", "--views-only"])).status).toBe(0);
  });

  test("P153 without data is replaced by the printed command, and the same is published", async () => {
    const before = await source.published();
    await source.query("DROP VIEW partner_source.child_prices");
    const { problems } = await source.check();
    expect(problems.map(({ fix }) => fix)).toEqual([
      { kind: "command", text: "partner-programs source init --views-only" },
    ]);
    expect((await source.run(["source", "init", "--views-only"])).status).toBe(0);
    expect(await source.published()).toEqual(before);
  });
});

test("P152 bytes that are not UTF-8 are named by view, column, tenant and program, and the fix reads them as what they are", async () => {
  await source.close();
  source = await openMendedSource("TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'");
  await source.query(`
    UPDATE travel.programs SET description = 'Café', included = ARRAY['Thé', 'x'] WHERE program_id = 'T2';
    UPDATE travel.programs SET name = 'Zürich' WHERE program_id = 'T3'`);
  const before = await source.published();
  expect(before.get("T2")).toContain("Café");
  await source.query(`
    UPDATE travel.programs SET description = E'Caf\\xe9', included = ARRAY[E'Th\\xe9', 'x'] WHERE program_id = 'T2';
    UPDATE travel.faq SET answer = E'N\\xf3.'`);
  const { problems } = await source.check();
  expect(problems.map(({ code, view, column, examples }) => [code, view, column, examples])).toEqual(
    [
      ["programs", "description", "T2"],
      ["programs", "included", "T2"],
      ["faq", "answer", "T1"],
    ].map(([view, column, programId]) => [
      "view_unreadable",
      view,
      column,
      [{ tenantId: "acme", programId, value: "not UTF-8" }],
    ]),
  );
  expect(problems[0]?.message).toMatch(
    /partner_source\.programs .* description .* UTF-8 in 1 row, .* T2 .* acme\. .* SQL_ASCII/,
  );
  await pasteFixes();
  const after = await source.published();
  for (const id of ["T2", "T3"]) {
    expect(after.get(id)).toBe(before.get(id));
  }
  expect(after.get("T1")).toContain('"answer":"Nó."');
});
