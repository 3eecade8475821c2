import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import type { SourceReport } from "../../../cli/operate/source-check/check-source.ts";
import { emptyView } from "../../../cli/operate/source-check/empty-views.ts";
import { contractViews } from "../../../cli/publish/source/contract.ts";
import { fixLines } from "../../../cli/publish/source/source-problem.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { databaseUrl, onServer } from "../../support/postgres.ts";
import { publishedSnapshot } from "../../support/published-snapshot.ts";

/**
 * P153: each printed fix is run on the fault that it is for, as a terminal shows it, and what is published
 * afterwards is what was published before the fault. Rows that policies hide: `hidden-rows.test.ts`.
 */
let source: Awaited<ReturnType<typeof openMendedSource>>;

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

/** Pastes the SQL of every finding. */
async function pasteFixes(url?: string): Promise<void> {
  const { problems } = await source.check(url);
  expect(problems.filter(({ fix }) => fix.kind !== "sql")).toEqual([]);
  for (const { fix } of problems) {
    const [head, ...sql] = fixLines(fix);
    expect(head).toContain("as the owner of the views");
    await source.query(sql.join("\n"));
  }
}

/** Follows the hint of a column's finding, which must have this expression, in the query of its view. */
async function followHint(view: string, column: string, hint: string): Promise<void> {
  const { problems } = await source.check();
  expect(problems).toMatchObject([{ code: "column_type", view, column, fix: { kind: "advice" } }]);
  expect(problems[0]?.fix.text).toContain(hint);
  const rows = await source.query(
    `SELECT attname FROM pg_attribute WHERE attrelid = 'travel.${view}'::regclass AND attnum > 0 ORDER BY attnum`,
  );
  const cells = rows.map((row) => {
    const attname = String(row.attname);
    const expression = hint.replace("'your/Zone'", "'UTC'").replaceAll("value", attname);
    return attname === column ? `${expression} AS ${column}` : attname;
  });
  await source.query(`
    DROP VIEW partner_source.${view};
    CREATE VIEW partner_source.${view} AS SELECT ${cells.join(", ")} FROM travel.${view}`);
}

test.each([
  ["room_prices", "amount", "double precision", "amount", "value::numeric"],
  ["room_prices", "occupancy", "numeric", "occupancy", "round(value)::integer"],
  ["programs", "departure_date", "timestamp", "departure_date + time '23:30'", "value::date"],
  [
    "programs",
    "departure_date",
    "timestamptz",
    "(departure_date + time '23:30') AT TIME ZONE 'UTC'",
    "(value AT TIME ZONE 'your/Zone')::date",
  ],
  ["programs", "name", "jsonb", "jsonb_build_object('key', name, 'sort', 1)", "value ->> 'key'"],
  ["programs", "included", "text", "array_to_string(included, ',')", "string_to_array(value, ',')"],
  [
    "programs",
    "included",
    "jsonb",
    "to_jsonb(included)",
    "ARRAY(SELECT jsonb_array_elements_text(value::jsonb))",
  ],
])(
  "P153 with the hint for a column's type is published what was published before, and no JSON object as a text: %s.%s as %s, from %s",
  async (view, column, type, using, hint) => {
    const before = await source.published();
    await retype(view, column, type, using);
    const faulty = await source.run(["snapshot", "build"]);
    expect(faulty.status, faulty.stderr).toBe(1);
    await followHint(view, column, hint);
    expect(await source.published()).toEqual(before);
  },
);

describe("P153 the fix of a right publishes what was published before", () => {
  let reader: string;
  let url: string;

  beforeEach(async () => {
    reader = await source.createReader();
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
      "ALTER VIEW partner_source.room_prices SET (security_invoker = on); GRANT USAGE ON SCHEMA travel TO READER; GRANT SELECT ON travel.room_prices TO READER",
    ],
  ])("of %s", async (_, plant) => {
    const before = await source.published(url);
    await source.query(plant.replaceAll("READER", reader));
    await pasteFixes(url);
    expect(await source.published(url)).toEqual(before);
  });
});

test("P150 a missing view may be empty where partners see data of it: the field guard keeps what would be emptied", async () => {
  const programs = "SELECT 'acme', 'F' || n, 1, 'Q', 'A' FROM generate_series(1, 6) AS n";
  await source.query(`
      INSERT INTO travel.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
        SELECT 'acme', 'F' || n, 'Tour', 'active', 1 FROM generate_series(1, 6) AS n;
      INSERT INTO travel.faq ${programs}`);
  const before = await source.published();
  await source.query("DROP VIEW partner_source.faq");
  expect((await source.run(["source", "init", "--views-only"])).status).toBe(0);
  const { status, stdout } = await source.run(["snapshot", "build"]);
  expect([status, stdout]).toEqual([4, expect.stringContaining("--allow-emptied")]);
  await source.query(
    "DROP VIEW partner_source.faq; CREATE VIEW partner_source.faq AS SELECT * FROM travel.faq",
  );
  expect(await source.published()).toEqual(before);
});

test("P133 bytes that are not UTF-8 are named by view and tenant, and the fix reads them as what they are", async () => {
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
  expect(problems.map(({ code, view }) => [code, view])).toEqual([
    ["view_unreadable", "programs"],
    ["view_unreadable", "faq"],
  ]);
  expect(problems[0]?.message).toMatch(
    /partner_source\.programs for the tenant acme, at its program T2, fails: .* 0xe9/,
  );
  expect(problems[0]?.fix.text).toContain(hint);
  await readAsWritten();
  const after = await source.published();
  for (const id of ["T2", "T3"]) expect(after.get(id)).toBe(before.get(id));
  expect(after.get("T1")).toContain('"answer":"Nó."');
});

const hint = "convert_from(convert(convert_to(value::text, 'SQL_ASCII'), 'WIN1252', 'UTF8'), 'SQL_ASCII')";

/** Follows the hints in the views that have texts of the other encoding. */
async function readAsWritten(): Promise<void> {
  const decoded = (value: string): string => hint.replace("value", value);
  await source.query(`
    DROP VIEW partner_source.programs, partner_source.faq;
    ALTER TABLE travel.programs RENAME COLUMN description TO text;
    ALTER TABLE travel.programs RENAME COLUMN included TO services;
    CREATE VIEW partner_source.programs AS
      SELECT *, ${decoded("text")} AS description,
             ARRAY(SELECT ${decoded("element")} FROM unnest(services) AS element) AS included FROM travel.programs;
    ALTER TABLE travel.faq RENAME COLUMN answer TO text;
    CREATE VIEW partner_source.faq AS SELECT *, ${decoded("text")} AS answer FROM travel.faq`);
}

const rows = `
  INSERT INTO travel.tenants VALUES ('acme', 'Acme');
  INSERT INTO travel.programs (tenant_id, program_id, name, lifecycle_state, departure_date, return_date, capacity_total, currency,
                               description, included, visits)
    SELECT 'acme', 'T' || n, 'Tour "' || n || '"', 'active', date '2027-05-01' + n, date '2027-05-08' + n, 10 + n, 'EUR',
           'Text ' || n, ARRAY['Guide', 'Bus ' || n], ARRAY['Rome']
      FROM generate_series(1, 3) AS n;
  INSERT INTO travel.room_prices SELECT 'acme', 'T' || n, 2, 790.5 + n FROM generate_series(1, 3) AS n;
  INSERT INTO travel.enrollments SELECT 'acme', 'T' || n, 'confirmed', 'passenger' FROM generate_series(1, 3) AS n;
  INSERT INTO travel.hotel_stays VALUES ('acme', 'T1', 1, 'Inn', 'Rome', '2027-05-02', '2027-05-04', 4);
  INSERT INTO travel.staff VALUES ('acme', 'T1', 1, 'lead_guide', 'Ann', 'female', NULL);
  INSERT INTO travel.flights VALUES ('acme', 'T1', 1, 'XX', 'https://a.example/x.svg');
  INSERT INTO travel.itinerary VALUES ('acme', 'T1', 1, 'Arrival', NULL);
  INSERT INTO travel.faq VALUES ('acme', 'T1', 1, 'Visa?', 'No.')`;

/**
 * Views over tables of the same names in the schema `travel`, published once, into which a fault can be
 * planted. `options`: of CREATE DATABASE.
 */
async function openMendedSource(options = "TEMPLATE template0") {
  const serverUrl = inject("postgresUrl");
  const name = `fixes_${randomBytes(6).toString("hex")}`;
  await onServer(serverUrl, `CREATE DATABASE ${name} ${options}`);
  const url = databaseUrl(serverUrl, name);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const storeDirectory = await mkdtemp(join(tmpdir(), "mended-"));
  const store = createFileStore({ directory: storeDirectory });
  const reader = `${name}_reader`;
  const roles: string[] = [];
  await owner.query("CREATE SCHEMA travel; CREATE SCHEMA partner_source");
  for (const view of contractViews) {
    const asTable = emptyView(view).replace("CREATE VIEW partner_source.", "CREATE TABLE travel.");
    await owner.query(asTable);
    await owner.query(`CREATE VIEW partner_source.${view.name} AS SELECT * FROM travel.${view.name}`);
  }
  await owner.query(rows);
  const run = (args: readonly string[], asUrl = url): Promise<CommandResult> =>
    runCommand(args, { env: { DATABASE_URL: asUrl, STORE_URL: `file:${storeDirectory}` } });
  return {
    url,
    run,
    query: async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
      (await owner.query(sql)).rows,
    /** A role of the database's own, dropped with it. */
    async createReader(): Promise<string> {
      await owner.query(`CREATE ROLE ${reader} LOGIN PASSWORD 'reader'`);
      roles.push(reader);
      return reader;
    },
    check: async (asUrl?: string): Promise<SourceReport> =>
      JSON.parse((await run(["source", "check", "--json"], asUrl)).stdout),
    /** Builds, and gives every body that partners get. */
    async published(asUrl?: string): Promise<ReadonlyMap<string, string>> {
      const { status, stderr } = await run(["snapshot", "build"], asUrl);
      expect(status, stderr).toBe(0);
      return (await publishedSnapshot(store, "acme")).bytes;
    },
    async close() {
      for (const role of roles) await owner.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
      await owner.end();
      await store.close();
      await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      await rm(storeDirectory, { recursive: true, force: true });
    },
  };
}
