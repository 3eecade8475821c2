import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { viewsSkeleton } from "../../../cli/operate/source-check/empty-views.ts";
import { contractViews } from "../../../cli/publish/source/contract.ts";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { runToEnd } from "../../support/run-to-end.ts";

const directory = folderForAllTests();
const generator = `skeleton_${randomBytes(6).toString("hex")}`;
const database = forAllTests(() => createTestDatabase({ isEmpty: true }));

beforeAll(async () => {
  await database.query(`CREATE ROLE ${generator} LOGIN PASSWORD 'reader'`);
});

afterAll(async () => {
  await database.query(`DROP OWNED BY ${generator}; DROP ROLE ${generator}`);
});

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

/** Runs the script as first day says, as the owner. */
async function psql(script: string, url = database.url) {
  const file = join(directory, "views.sql");
  await writeFile(file, script);
  const role = ["-v", `generator=${generator}`];
  return await runToEnd("psql", ["-qX", "-v", "ON_ERROR_STOP=1", ...role, "-f", file, url], {});
}

test("P101 the skeleton needs no database, and psql takes it as it is: all views, with the contract's types", async () => {
  const nowhere = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing" };
  const { status, stdout } = await runCommand(["source", "init", "--skeleton"], { env: nowhere });
  expect(status).toBe(0);
  expect(await psql(stdout)).toMatchObject({ status: 0 });
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

test("P101 run again, changed or not, it replaces the views, and the generator reads them at once", async () => {
  const reader = new URL(database.url);
  [reader.username, reader.password] = [generator, "reader"];
  const check = () => runCommand(["source", "check", "--json"], { env: { DATABASE_URL: reader.href } });
  const before = await check();
  const retyped = viewsSkeleton().replace("NULL::text AS currency", "NULL::char(3) AS currency");
  for (const script of [viewsSkeleton(), retyped]) {
    expect(await psql(script)).toMatchObject({ status: 0 });
    expect(await check()).toEqual(before);
  }
  const codes = JSON.parse(before.stdout).problems.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(["no_tenants"]);
  // A view that is created by itself later is granted as well.
  await database.query("DROP VIEW partner_source.faq");
  expect([(await source("init", "--views-only")).status, await check()]).toEqual([0, before]);
});

test("P101 a script with an error changes nothing, and no table is dropped", async () => {
  const viewsOf = () =>
    database.query(
      "SELECT oid::int FROM pg_class WHERE relnamespace = 'partner_source'::regnamespace ORDER BY 1",
    );
  const before = await viewsOf();
  expect((await psql(viewsSkeleton().replace("-- FROM your_table", "FROM no_table"))).status).not.toBe(0);
  expect(await viewsOf()).toEqual(before);
  await database.query("DROP VIEW partner_source.faq; CREATE TABLE partner_source.faq (id int)");
  expect((await psql(viewsSkeleton())).stderr).toContain('"faq" is not a view');
  await database.query("DROP TABLE partner_source.faq");
  expect(await psql(viewsSkeleton())).toMatchObject({ status: 0 });
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
