import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { openTripsSource, type TripsSource } from "../../support/trips-source.ts";
import { parsedReport } from "../../support/workbench.ts";

let trips: TripsSource;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "failing-views-"));
  trips = await openTripsSource();
});

afterEach(async () => {
  await trips.database.drop();
  await rm(folder, { recursive: true });
});

const run = (args: readonly string[], databaseUrl = trips.database.url): Promise<CommandResult> =>
  runCommand(args, { env: { DATABASE_URL: databaseUrl, STORE_URL: `file:${folder}/store` } });

describe("a view that fails at a row", () => {
  const message = /partner_source(\.programs)? fails: .* "connect"\. `partner-programs source check` /;

  beforeEach(async () => {
    await trips.database.query("INSERT INTO travel.trips VALUES ('acme', 'T3', 'Lake', 'connect')");
  });

  test("P133 is not said to hold no programs by the check", async () => {
    await trips.database.query("INSERT INTO travel.trips VALUES ('beta', 'T4', 'Sea', '5')");
    const { status, stdout } = await run(["source", "check"]);
    expect([status, stdout]).toEqual([1, expect.stringMatching(/\d tenants?, programs not counted\)/)]);
  });

  test("P131 fails two tenants with one line, and the run's own failure is said once", async () => {
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

  test("is the reason of the tenant's failure in a build, and in what support is told", async () => {
    const built = await run(["snapshot", "build", "--json"]);
    const report = parsedReport(built.stdout);
    const failure = report.tenants[0]?.failure;
    expect(built.status).toBe(1);
    expect(failure).toEqual({
      code: "source_contract",
      message: expect.stringMatching(/^The view partner_source\.programs fails: .* "connect"\. /),
    });
    const explained = await run(["snapshot", "explain", "--tenant", "acme", "--program", "T3", "--json"]);
    const { source, next } = JSON.parse(explained.stdout);
    expect(source).toEqual({ kind: "unavailable", reason: expect.stringMatching(message) });
    expect(next.steps).toMatchObject([
      { who: "support", commands: [] },
      { who: "operations", commands: ["source check"] },
    ]);
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
