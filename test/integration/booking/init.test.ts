import { afterEach, describe, expect, test } from "vitest";
import { initSource } from "../../../cli/demo/booking/init-source.ts";
import { createMissingViews } from "../../../cli/operate/source-check/empty-views.ts";
import { contractViews } from "../../../cli/publish/source/contract.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const databases: TestDatabase[] = [];

afterEach(async () => {
  for (const database of databases.splice(0)) await database.close();
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ isEmpty: true });
  databases.push(database);
  return database;
}

async function relations(database: TestDatabase, schema: string): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'v') ORDER BY 1",
    [schema],
  );
  return rows.map(({ name }) => name);
}

describe("initSource", () => {
  test("all or nothing: when a step fails nothing is left behind", async () => {
    const database = await emptyDatabase();
    await database.query("CREATE SCHEMA booking");
    await database.query("CREATE TYPE booking.media_kind AS ENUM ('in the way')");
    await expect(initSource(database.url)).rejects.toThrow(/media_kind/);
    expect(await relations(database, "booking")).toEqual([]);
    await database.query("DROP TYPE booking.media_kind");
    expect((await initSource(database.url)).applied.length).toBeGreaterThan(0);
  });

  test("a schema that an earlier version made is refused, with what to do", async () => {
    const database = await emptyDatabase();
    await initSource(database.url);
    await database.query("UPDATE booking.schema_migrations SET name = '001_companies_and_programs'");
    await expect(initSource(database.url)).rejects.toMatchObject({
      code: "source_contract",
      message: expect.stringContaining("DROP SCHEMA booking, partner_source CASCADE"),
    });
  });

  test.each(["booking.programs", "partner_source.tenants"])(
    "leaves a database alone that has a %s of its own, and says what to do",
    async (table) => {
      const database = await emptyDatabase();
      await database.query(`CREATE SCHEMA ${table.split(".")[0]}`);
      await database.query(`CREATE TABLE ${table} (id integer)`);
      await expect(initSource(database.url)).rejects.toMatchObject({
        code: "source_contract",
        message: expect.stringMatching(new RegExp(`has a ${table} already.*--views-only`)),
      });
      expect(await relations(database, "booking")).not.toContain("companies");
    },
  );
});

describe("createMissingViews", () => {
  test("creates an empty view for each missing optional one, and names the required ones that are missing", async () => {
    const database = await emptyDatabase();
    await database.query("CREATE SCHEMA partner_source");
    await database.query("CREATE VIEW partner_source.tenants AS SELECT 'mine' AS tenant_id, 'Mine' AS name");
    await database.query(`
      CREATE VIEW partner_source.faq AS
      SELECT 'mine' AS tenant_id, 'p1' AS program_id, 1 AS position, 'Why?' AS question, 'Because.' AS answer`);
    const optional = contractViews.filter(({ isRequired }) => !isRequired).map(({ name }) => name);
    expect(await createMissingViews(database.url)).toEqual({
      created: optional.filter((name) => name !== "faq"),
      missing: ["programs"],
    });
    expect(await database.query("SELECT question FROM partner_source.faq")).toEqual([{ question: "Why?" }]);
    expect(await database.query("SELECT * FROM partner_source.flights")).toEqual([]);
    expect(await createMissingViews(database.url)).toEqual({ created: [], missing: ["programs"] });
  });

  test.each([
    ["may not create views", "SELECT"],
    ["may only read", "ALTER ROLE %s SET default_transaction_read_only = on"],
    ["may not create the schema", "DROP SCHEMA partner_source"],
  ])("says to a role that %s who may", async (_, setUp) => {
    const database = await emptyDatabase();
    await database.query("CREATE SCHEMA partner_source");
    const url = await database.createReader();
    await database.query(setUp.replace("%s", new URL(url).username));
    const message = expect.stringContaining("Run this command as the owner of the views");
    await expect(createMissingViews(url)).rejects.toMatchObject({ code: "source_unavailable", message });
  });
});
