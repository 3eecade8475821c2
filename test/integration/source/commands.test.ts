import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true });
});

afterAll(async () => {
  await database.drop();
});

async function source(...args: string[]): Promise<CommandResult> {
  return await runCommand(["source", ...args], { env: { DATABASE_URL: database.url } });
}

/** The tests of this list are one story, in order. */
describe("the source commands", () => {
  test("a database without views breaks the contract: exit 1, and what to run", async () => {
    const { status, stdout } = await source("check");
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^partner_source\n {2}error {3}schema_missing\n( {4}.*\n)+ {4}Fix: run partner-programs source init\n\n.* 1 error\. .*\n$/,
    );
  });

  test("seed before init fails and says so", async () => {
    const { status, stdout, stderr } = await source("seed");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("run `source init` first");
  });

  test("init names what it applied, and nothing the second time", async () => {
    const first = await source("init");
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout).toContain("  001_reference_schema\n");
    expect(await source("init")).toMatchObject({ status: 0, stdout: expect.stringContaining("up to date") });
    const json = await source("init", "--json");
    expect(JSON.parse(json.stdout)).toEqual({ applied: [], createdViews: [], missingViews: [] });
  });

  test("seed reports what it created", async () => {
    const { status, stdout, stderr } = await source("seed", "--date", "2027-03-15", "--json");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      seed: "1",
      date: "2027-03-15",
      tenants: 5,
      programs: 120,
      rows: expect.objectContaining({ companies: 5, programs: 120 }),
      elapsedMs: expect.any(Number),
    });
    const text = await source("seed", "--tenants", "2", "--programs", "3", "--date", "2027-03-15");
    expect(text.stdout).toMatch(/^programs +6$/m);
    expect(text.stdout).toMatch(/2 companies with 6 programs, .* \(seed "1", dates around 2027-03-15\)/);
  });

  test("sample data keeps the contract, with warnings: exit 0", async () => {
    // Around today: of programs that have ended nothing is said.
    await source("seed");
    const { status, stdout } = await source("check");
    expect(status).toBe(0);
    expect(stdout).toContain("  warning capacity_total_invalid (capacity_total)\n");
    expect(stdout).toMatch(/NULL \(5\): atlas-journeys \/ ATLAS-\d{4}-0023, \.\.\.\n/);
    expect(stdout).toMatch(/^paid +\d+ +yes$/m);
    // P191: nothing is hinted at that the reference data has on purpose.
    expect(stdout).toMatch(
      /The source keeps the contract, with \d warnings \(5 tenants, 120 programs\)\.\n$/,
    );
  });

  test("check --json has the same shape, whether or not something is wrong", async () => {
    await database.query("ALTER VIEW partner_source.faq RENAME COLUMN answer TO reply");
    const { status, stdout } = await source("check", "--json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      isBroken: true,
      rows: null,
      published: null,
      statuses: null,
      problems: [
        {
          severity: "error",
          code: "column_missing",
          view: "faq",
          column: "answer",
          message: "The column partner_source.faq.answer (text) is missing.",
          fix: { kind: "advice", text: expect.stringContaining("NULL::text AS answer") },
          count: null,
          examples: [],
        },
      ],
    });
    await database.query("ALTER VIEW partner_source.faq RENAME COLUMN reply TO answer");
    const sound = JSON.parse((await source("check", "--json")).stdout);
    expect(sound).toMatchObject({ isBroken: false, rows: { tenants: 5, faq: 345 } });
    expect(sound.problems[0]).toMatchObject({
      severity: "warning",
      count: 5,
      examples: expect.arrayContaining([expect.objectContaining({ tenantId: "atlas-journeys" })]),
    });
  });

  test("init --views-only adds what is missing", async () => {
    await database.query("DROP VIEW partner_source.faq, partner_source.tenants");
    const { status, stdout } = await source("init", "--views-only");
    expect(status).toBe(0);
    expect(stdout).toContain("Created empty views: partner_source.faq.");
    expect(stdout).toContain("yours to write: partner_source.tenants.");
  });

  test.each([
    ["--tenants", "0"],
    ["--tenants", "many"],
    ["--programs", "-1"],
    ["--programs", "1.5"],
    ["--date", "2027-02-30"],
    ["--date", "tomorrow"],
  ])("seed %s %s is wrong usage: exit 2", async (option, value) => {
    const { status, stderr } = await source("seed", option, value);
    expect(status).toBe(2);
    expect(stderr).toContain(option);
  });
});

test("without DATABASE_URL the commands use the embedded PostgreSQL under DATA_DIR", async () => {
  const directory = await mkdtemp(join(tmpdir(), "source-commands-"));
  await chmod(directory, 0o755);
  const env = { DATA_DIR: directory };
  expect(await runCommand(["source", "init"], { env })).toMatchObject({ status: 0 });
  expect(await runCommand(["source", "seed", "--tenants", "1"], { env })).toMatchObject({ status: 0 });
  const { stdout } = await runCommand(["source", "check"], { env });
  expect(stdout).toContain("(1 tenant, 24 programs)");
  await rm(directory, { recursive: true });
});

test("an interrupted seed leaves the database as it was: exit 130", async () => {
  const other = await createTestDatabase();
  const interruption = new AbortController();
  const env = { DATABASE_URL: other.url };
  const seeding = runCommand(["source", "seed", "--tenants", "50", "--programs", "500"], {
    env,
    signal: interruption.signal,
  });
  const isSeeding = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'INSERT INTO booking.%'`;
  while ((await other.query(isSeeding)).length === 0);
  interruption.abort();
  expect(await seeding).toMatchObject({ status: 130, stderr: "partner-programs: Interrupted.\n" });
  expect(await other.query("SELECT FROM booking.companies")).toEqual([]);
  await other.drop();
});
