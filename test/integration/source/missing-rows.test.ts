import { beforeEach, describe, expect, test } from "vitest";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { folderForAllTests, forEachTest } from "../../support/lasting.ts";
import { openTripsSource, tripsAsPrograms } from "../../support/trips-source.ts";

const trips = forEachTest(openTripsSource);

test("a source in which nothing is wrong or missing keeps the contract", async () => {
  expect(await trips.check()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /^STATE .*\n\nThe source keeps the contract \(1 tenant, 2 programs\)\.\n$/s,
    ),
  });
});

describe("rows that are missing", () => {
  test("P103 no tenant at all is an error", async () => {
    await trips.database.query("TRUNCATE travel.trips");
    const { status, stdout } = await trips.check();
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^partner_source\.tenants\n {2}error {3}no_tenants\n[\s\S]* {4}Fix: .*SELECT \* FROM/,
    );
    expect(stdout).not.toContain("keeps the contract");
    expect(stdout).toMatch(/Nothing would be published: 1 error, 0 warnings \(0 tenants, 0 programs\)\.\n$/);
  });

  test("P103 no program at all is an error, said once and not for each tenant", async () => {
    await trips.define("programs", `${tripsAsPrograms} WHERE false`);
    expect(await trips.problems()).toMatchObject([
      { severity: "error", code: "no_programs", view: "programs" },
    ]);
  });

  test("P103 programs of which none is active: a warning, and nothing would be published", async () => {
    await trips.define("programs", tripsAsPrograms.replace("'active'", "'draft'"));
    const { status, stdout } = await trips.check();
    expect(status).toBe(0);
    expect(stdout).toContain("  warning tenant_without_active (lifecycle_state)\n");
    expect(stdout).toContain("acme: 2 program(s), none active\n");
    expect(stdout).toMatch(/Nothing would be published: 1 warning \(1 tenant, 2 programs\)\.\n$/);
    expect(JSON.parse((await trips.check(undefined, ["--json"])).stdout)).toMatchObject({ published: 0 });
  });

  test("P103 rows without a tenant, and of tenants that are not listed, are counted in every view", async () => {
    await trips.define(
      "faq",
      `SELECT CASE WHEN n < 40 THEN NULL WHEN n < 43 THEN 'Acme' ELSE 'acme' END AS tenant_id, 'T1' AS program_id,
              n AS position, '?' AS question, '!' AS answer FROM generate_series(1, 50) AS n`,
    );
    await trips.define(
      "programs",
      tripsAsPrograms.replace("SELECT brand AS", "SELECT nullif(brand, 'lost') AS"),
    );
    await trips.define(
      "tenants",
      "SELECT DISTINCT brand AS tenant_id, '' AS name FROM travel.trips WHERE brand <> 'lost'",
    );
    await trips.database.query(
      "INSERT INTO travel.trips SELECT 'lost', 'L' || n, 'Lost', '1' FROM generate_series(1, 7) AS n",
    );
    expect(await trips.problems()).toMatchObject([
      {
        code: "tenant_id_null",
        view: "programs",
        column: "tenant_id",
        count: 7,
        examples: [{ value: "7 program(s)" }],
      },
      {
        code: "rows_of_unknown_tenant",
        view: "faq",
        column: "tenant_id",
        count: 3,
        examples: [{ tenantId: "Acme" }],
      },
      { code: "tenant_id_null", view: "faq", column: "tenant_id", count: 39, examples: [{ tenantId: null }] },
    ]);
  });

  test("tenants without programs, by name", async () => {
    await trips.define("tenants", "VALUES ('acme', 'Acme'), ('Beta', 'Beta'), ('gamma', 'Gamma')");
    await trips.database.query("ALTER VIEW partner_source.tenants RENAME column1 TO tenant_id");
    await trips.database.query("ALTER VIEW partner_source.tenants RENAME column2 TO name");
    expect(await trips.problems()).toMatchObject([
      {
        severity: "warning",
        code: "tenant_without_programs",
        view: "programs",
        column: "tenant_id",
        count: 2,
        examples: [{ tenantId: "Beta" }, { tenantId: "gamma" }],
      },
    ]);
  });
});

test("on a terminal the check shows how far it is, and leaves nothing of it behind", async () => {
  const { stderr } = await trips.check(undefined, [], { errorColumns: 80 });
  expect(stderr).toContain("0/1 tenants");
  expect(stderr.endsWith("\r\u001b[K")).toBe(true);
});

test("P133 P197 rows that cannot be read: a cast that fails at one row names the view and the tenant, and the rest is checked", async () => {
  await trips.database.query(`
      INSERT INTO travel.trips SELECT 'beta', 'B' || n, ' ', n FROM generate_series(1, 300) AS n;
      INSERT INTO travel.trips VALUES ('acme', 'T3', 'Lake', 'a dozen')`);
  const { status, stdout } = await trips.check(undefined, ["--json"]);
  expect(status).toBe(1);
  const { rows, problems } = JSON.parse(stdout);
  expect(rows).toMatchObject({ tenants: 2, programs: null, faq: 0 });
  expect(problems).toMatchObject([
    {
      severity: "error",
      code: "view_unreadable",
      view: "programs",
      fix: {
        kind: "advice",
        text: "run SELECT * FROM partner_source.programs WHERE tenant_id = 'acme' AND program_id = 'T3' and correct the view",
      },
    },
    { code: "program_name_blank", view: "programs", count: 300 },
  ]);
  expect(problems[0].message).toBe(
    'Reading partner_source.programs for the tenant acme, at its program T3, fails: invalid input syntax for type integer: "a dozen".',
  );
});

const folder = folderForAllTests();

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
