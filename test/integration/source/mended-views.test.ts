import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withSourceClient } from "../../../cli/database/source-client.ts";
import { checkSourceStructure } from "../../../cli/publish/source/check-structure.ts";
import { contractViews } from "../../../cli/publish/source/contract.ts";
import { fixLines } from "../../../cli/publish/source/problems-in-brief.ts";
import type { StructureProblem } from "../../../cli/publish/source/source-problem.ts";
import { standInView } from "../../../cli/publish/source/view-definition.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
let roles: readonly string[];

beforeEach(async () => {
  database = await createTestDatabase({ isEmpty: true });
  const name = new URL(database.url).pathname.slice(1);
  roles = ["owner", "reader", "other"].map((role) => `${name}_${role}`);
  for (const role of roles) await database.query(`CREATE ROLE ${role}`);
  await database.query(`
    CREATE SCHEMA partner_source;
    CREATE SCHEMA travel;
    CREATE TABLE travel.rates (trip text, sharing numeric, price double precision);
    INSERT INTO travel.rates VALUES ('T1', 2, 99.5);
    GRANT USAGE ON SCHEMA travel TO PUBLIC;
    GRANT SELECT ON travel.rates TO PUBLIC;
    GRANT USAGE, CREATE ON SCHEMA partner_source TO ${roles[0]}`);
  for (const view of contractViews) await database.query(standInView(view));
});

afterEach(async () => {
  for (const role of roles) await database.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
  await database.drop();
});

/** A view of wrong types with all that an operator may have given it. */
async function defineRates(columns: string, options = "security_barrier = true"): Promise<void> {
  const [owner, reader, other] = roles;
  await database.query(`
    DROP VIEW partner_source.room_prices;
    CREATE VIEW partner_source.room_prices WITH (${options}) AS
      SELECT 'acme'::text AS tenant_id, trip AS program_id, ${columns} FROM travel.rates;
    ALTER VIEW partner_source.room_prices OWNER TO ${owner};
    REVOKE TRUNCATE ON partner_source.room_prices FROM ${owner};
    GRANT SELECT ON partner_source.room_prices TO ${reader};
    GRANT SELECT, INSERT ON partner_source.room_prices TO ${other} WITH GRANT OPTION;
    GRANT SELECT (program_id) ON partner_source.room_prices TO PUBLIC;
    COMMENT ON VIEW partner_source.room_prices IS 'Ann''s view:\ntwo \\ lines';
    COMMENT ON COLUMN partner_source.room_prices.program_id IS 'the trip'`);
}

/** All that the view is beside its query, as the catalog has it. */
async function standing(view = "room_prices"): Promise<unknown> {
  return await database.query(`
    SELECT pg_get_userbyid(relowner) AS owner, reloptions, obj_description(oid, 'pg_class') AS comment,
           (SELECT json_agg(acl::text ORDER BY acl::text) FROM unnest(relacl) AS acl) AS acl,
           (SELECT json_agg(json_build_object('acl', attacl::text, 'comment', col_description(attrelid, attnum)))
              FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'program_id') AS program_id
      FROM pg_class WHERE oid = 'partner_source.${view}'::regclass`);
}

async function found(): Promise<readonly StructureProblem[]> {
  return await withSourceClient({ databaseUrl: database.url }, checkSourceStructure);
}

async function script(): Promise<string> {
  const problems = await found();
  const texts = new Set(problems.map(({ fix }) => fix.text));
  expect([...texts]).toHaveLength(1);
  return problems[0]?.fix.text ?? "";
}

/** The script as a terminal shows it. */
async function shownScript(): Promise<string> {
  const [, ...lines] = fixLines({ kind: "sql", text: await script() });
  return lines.join("\n");
}

describe("P105 the script that mends a view", () => {
  test("keeps its owner, all rights, its options and comments, and says what it rounds", async () => {
    await defineRates("sharing AS occupancy, price AS amount");
    // Must not reach the new view.
    await database.query(
      `ALTER DEFAULT PRIVILEGES IN SCHEMA partner_source GRANT DELETE ON TABLES TO ${roles[1]}`,
    );
    const before = await standing();
    const sql = await script();
    expect(sql).toContain("-- occupancy is rounded to whole numbers: 12.5 becomes 13, 13.5 becomes 14\n");
    expect(sql).toContain("-- amount is rounded to 15 significant digits\n");
    await database.query(sql);
    expect(await found()).toEqual([]);
    expect(await standing()).toEqual(before);
    expect(await database.query("SELECT occupancy, amount FROM partner_source.room_prices")).toEqual([
      { occupancy: 2, amount: "99.5" },
    ]);
  });

  test("is taken by PostgreSQL for every type that a column may have", async () => {
    const types = [
      "bool",
      "json",
      "jsonb",
      "uuid",
      "money",
      "interval",
      "int4[]",
      "float8[]",
      "timestamptz[]",
      "bytea",
      "bigint",
    ];
    for (const type of types) {
      await database.query("DROP VIEW IF EXISTS partner_source.room_prices, partner_source.hotel_stays");
      await database.query(`
        CREATE VIEW partner_source.room_prices AS SELECT NULL::text AS tenant_id, NULL::text AS program_id,
          NULL::${type} AS occupancy, NULL::${type} AS amount;
        CREATE VIEW partner_source.hotel_stays AS SELECT NULL::text AS tenant_id, NULL::text AS program_id,
          1 AS position, NULL::${type} AS name, 'x'::text AS location, NULL::${type} AS check_in, NULL::${type} AS check_out,
          NULL::${type} AS star_level`);
      const texts = new Set((await found()).map(({ fix }) => fix.text));
      for (const text of texts) await database.query(text);
      expect(await found()).toEqual([]);
    }
  });

  test.each(["json", "jsonb"])(
    "takes texts and dates out of %s as they are, without its quotes",
    async (type) => {
      await database.query("DROP VIEW IF EXISTS partner_source.hotel_stays");
      await database.query(`
      CREATE VIEW partner_source.hotel_stays AS SELECT 'acme' AS tenant_id, 'a' AS program_id, 1 AS position,
        '"Zum \\"Hirsch\\""'::${type} AS name, 'null'::${type} AS location, '"2027-05-01"'::${type} AS check_in,
        '{"day": 1}'::${type} #> '{other}' AS check_out, 3 AS star_level`);
      const sql = (await found()).find(({ view }) => view === "hotel_stays")?.fix.text ?? "";
      expect(sql).toContain(
        "-- name becomes NULL where it is an object (name its key: ->> 'key') or a list\n",
      );
      await database.query(sql);
      expect(
        await database.query(
          "SELECT name, location, check_in::text, check_out FROM partner_source.hotel_stays",
        ),
      ).toEqual([{ name: 'Zum "Hirsch"', location: null, check_in: "2027-05-01", check_out: null }]);
    },
  );

  test("keeps security_invoker", async () => {
    await defineRates(
      "sharing AS occupancy, price AS amount",
      "security_invoker = true, security_barrier = false",
    );
    const before = await standing();
    await database.query(await script());
    expect(await standing()).toEqual(before);
  });

  test("names what reads the view, which is neither dropped nor in the way", async () => {
    await defineRates("sharing AS occupancy, price AS amount");
    await database.query(`
      CREATE VIEW travel.report AS SELECT * FROM partner_source.room_prices;
      CREATE MATERIALIZED VIEW travel.kept AS SELECT amount FROM travel.report;
      CREATE TABLE partner_source.room_prices_behind ()`);
    const before = await standing();
    const sql = await script();
    expect(sql).toContain("-- goes on with partner_source.room_prices_behind_2: view travel.report\n");
    expect(sql).not.toContain("DROP");
    await database.query(sql);
    expect(await found()).toEqual([]);
    expect(await standing()).toEqual(before);
    expect(await database.query("SELECT occupancy, amount FROM travel.report")).toEqual([
      { occupancy: "2", amount: 99.5 },
    ]);
  });

  test("replaces a view that lacks columns in place, with what reads it", async () => {
    await defineRates("price::numeric AS amount");
    await database.query("CREATE VIEW travel.report AS SELECT * FROM partner_source.room_prices");
    const before = [
      await standing(),
      await database.query("SELECT 'partner_source.room_prices'::regclass::oid"),
    ];
    await database.query(await script());
    expect(await found()).toEqual([]);
    expect([
      await standing(),
      await database.query("SELECT 'partner_source.room_prices'::regclass::oid"),
    ]).toEqual(before);
  });

  test("shown to be pasted, leaves texts and names with line breaks, tabs and invisible characters as they are", async () => {
    await database.query(`
      ALTER TABLE travel.rates ADD COLUMN "in\nside" text DEFAULT E'bus\\nhotel\\tbed\\u200b';
      DROP VIEW partner_source.room_prices;
      CREATE VIEW partner_source.room_prices AS
        SELECT 'acme'::text AS tenant_id, trip AS program_id, sharing AS occupancy, price AS amount,
               string_to_array("in\nside", E'\\n') AS lines, string_to_array("in\nside", E'\\t') AS cells,
               replace("in\nside", E'\\u200b', E'\\\\\\n''') AS "as\tit\\is"
          FROM travel.rates`);
    const values = `SELECT lines, cells, "as\tit\\is" FROM partner_source.room_prices`;
    const before = await database.query(values);
    await database.query(await shownScript());
    expect(await found()).toEqual([]);
    expect(await database.query(values)).toEqual(before);
  });

  test("shown to be pasted, runs nothing that stands in the name of what reads the view", async () => {
    await defineRates("sharing AS occupancy, price AS amount");
    await database.query(`CREATE VIEW public."x\nDROP TABLE travel.rates CASCADE; --" AS
      SELECT * FROM partner_source.room_prices`);
    const shown = await shownScript();
    expect(shown).toContain("-- goes on with partner_source.room_prices_behind: view ");
    await database.query(shown);
    expect(await database.query("SELECT count(*)::int AS rows FROM travel.rates")).toEqual([{ rows: 1 }]);
  });

  test("names every table whole, whatever the search_path of whoever asks", async () => {
    await defineRates("sharing AS occupancy, price AS amount");
    await database.query(
      `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET search_path = travel, public`,
    );
    expect(await script()).toContain("FROM travel.rates");
    const paths = await withSourceClient({ databaseUrl: database.url }, async (client) => {
      await client.query("BEGIN");
      await checkSourceStructure(client);
      return (await client.query("SHOW search_path")).rows;
    });
    expect(paths).toEqual([{ search_path: "travel, public" }]);
  });
});
