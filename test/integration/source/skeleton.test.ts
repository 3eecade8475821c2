import { expect, test } from "vitest";
import { contractViews } from "../../../cli/publish/source/contract.ts";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { createTestDatabase } from "../../support/postgres.ts";

const database = forAllTests(() => createTestDatabase({ isEmpty: true }));

async function source(...args: string[]): Promise<CommandResult> {
  return await runCommand(["source", ...args], { env: { DATABASE_URL: database.url } });
}

/** The tests of this file are one story, in order. */
test("P102 a database with tables of its own gets no reference schema unasked: exit 4, and nothing is changed", async () => {
  await database.query("CREATE TABLE tours (id int)");
  const { status, stderr } = await source("init");
  expect(status).toBe(4);
  expect(stderr).toContain("The database has a table of its own (public.tours); nothing was changed.");
  expect(stderr).toContain("source init --skeleton");
  expect(
    await database.query("SELECT FROM pg_namespace WHERE nspname IN ('booking', 'partner_source')"),
  ).toEqual([]);
});

test("P102 a database with tables and no views is told of the skeleton, and of no booking schema", async () => {
  const { status, stdout } = await source("check");
  expect(status).toBe(1);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("on its 1 table");
  expect(stdout).toContain("source init --skeleton > views.sql\n");
});

test("P101 the skeleton needs no database, and PostgreSQL takes it as it is: all views, with the contract's types", async () => {
  const nowhere = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing" };
  const { status, stdout } = await runCommand(["source", "init", "--skeleton"], { env: nowhere });
  expect(status).toBe(0);
  await database.query(stdout);
  const columns = await database.query<{ column: string }>(`
    SELECT relname || '.' || attname || ' ' || replace(format_type(atttypid, NULL), 'integer', 'int') AS column
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = 'partner_source'::regnamespace ORDER BY pg_class.oid, attnum`);
  expect(columns.map(({ column }) => column)).toEqual(
    contractViews.flatMap((view) =>
      Object.entries(view.columns).map(([name, kind]) => `${view.name}.${name} ${kind}`),
    ),
  );
  const lines = stdout.split("\n").filter((line) => line.includes("NULL::"));
  expect(lines.filter((line) => /^ {4}NULL::[a-z[\]]+ AS \w+,? +-- \S/.test(line))).toHaveLength(
    columns.length,
  );
});

test("P103 a skeleton that nobody has filled in is a finding: no tenant, exit 1", async () => {
  const stdout = expect.stringContaining("  error   no_tenants\n");
  expect(await source("check")).toMatchObject({ status: 1, stdout });
});

test("P102 --reference creates the reference schema beside other tables, and later runs need it no more", async () => {
  await database.query("DROP SCHEMA partner_source CASCADE");
  expect(await source("init", "--reference")).toMatchObject({ status: 0 });
  expect(await source("init")).toMatchObject({ status: 0, stdout: expect.stringContaining("up to date") });
});

test("P102 the tables of extensions are not the company's", async () => {
  const other = await createTestDatabase({ isEmpty: true });
  await other.query(`
    CREATE EXTENSION citext; CREATE TABLE spatial_ref_sys (id int); ALTER EXTENSION citext ADD TABLE spatial_ref_sys`);
  expect(await runCommand(["source", "init"], { env: { DATABASE_URL: other.url } })).toMatchObject({
    status: 0,
  });
  await other.close();
});
