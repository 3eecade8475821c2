import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { openTripsSource, type TripsSource } from "../../support/trips-source.ts";

let trips: TripsSource;
const folder = folderForAllTests();

beforeEach(async () => {
  trips = await openTripsSource();
});

afterEach(async () => {
  await trips.close();
});

const run = (args: readonly string[], databaseUrl = trips.database.url): Promise<CommandResult> =>
  runCommand(args, { env: { DATABASE_URL: databaseUrl, STORE_URL: `file:${folder}/store` } });

describe("a view that fails at a row", () => {
  beforeEach(async () => {
    await trips.database.query("INSERT INTO travel.trips VALUES ('acme', 'T3', 'Lake', 'connect')");
  });

  test("P133 is not said to hold no programs by the check", async () => {
    await trips.database.query("INSERT INTO travel.trips VALUES ('beta', 'T4', 'Sea', '5')");
    const { status, stdout } = await run(["source", "check"]);
    expect([status, stdout]).toEqual([1, expect.stringMatching(/\d tenants?, programs not counted\)/)]);
  });

  test("P130 fails two tenants with one line, and the run's own failure is said once", async () => {
    await trips.database.query(
      "INSERT INTO travel.trips VALUES ('beta', 'T4', 'Sea', 'connect'), ('gamma', 'T5', 'Hill', '5')",
    );
    const { stdout } = await run(["snapshot", "build"]);
    expect(stdout.match(/^failed: .*/gm)).toEqual([
      expect.stringMatching(/^failed: acme, beta: .* "connect"/),
    ]);
    await trips.database.query("ALTER VIEW partner_source.programs RENAME COLUMN name TO title");
    const broken = await run(["snapshot", "build"]);
    expect(broken.stdout.split("partner_source.programs.name (text) is missing")).toHaveLength(2);
  });
});

test("a query that the server ends by a limit of the role's is no server that cannot be reached", async () => {
  await trips.define(
    "faq",
    `SELECT brand AS tenant_id, id AS program_id, 1 AS position, title AS question, pg_sleep(600)::text AS answer
       FROM travel.trips`,
  );
  const limited = new URL(trips.database.url);
  limited.searchParams.set("options", "-c statement_timeout=200");
  const { status, stderr } = await run(["source", "preview"], limited.href);
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/ended a query .* due to statement timeout\)\. .* statement_timeout /),
  ]);
});
