import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { contractViews } from "../../../cli/source/contract.ts";
import { standInView } from "../../../cli/source/view-definition.ts";
import { type CommandOptions, type CommandResult, runCommand } from "../../support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

/** Views over the table `trips`; the others are empty. */
let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase({ isEmpty: true });
  await database.query(`
    CREATE SCHEMA partner_source;
    CREATE SCHEMA travel;
    CREATE TABLE travel.trips (brand text, id text, title text, seats text);
    INSERT INTO travel.trips VALUES ('acme', 'T1', 'Coast', '10'), ('acme', 'T2', 'Hills', '12')`);
  for (const view of contractViews) await database.query(standInView(view));
  await define("tenants", "SELECT DISTINCT brand AS tenant_id, initcap(brand) AS name FROM travel.trips");
  await define("programs", programs);
});

afterEach(async () => {
  await database.drop();
});

const others = Object.entries(contractViews.find(({ name }) => name === "programs")?.columns ?? {})
  .slice(4)
  .filter(([column]) => column !== "capacity_total")
  .map(([column, kind]) => `NULL::${kind} AS ${column}`);
const programs = `
  SELECT brand AS tenant_id, id AS program_id, title AS name, 'active' AS lifecycle_state, seats::int AS capacity_total,
         ${others.join(", ")}
    FROM travel.trips`;

async function define(view: string, query: string): Promise<void> {
  await database.query(`DROP VIEW partner_source.${view}; CREATE VIEW partner_source.${view} AS ${query}`);
}

async function check(
  url = database.url,
  args: readonly string[] = [],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return await runCommand(["source", "check", ...args], { env: { DATABASE_URL: url }, ...options });
}

async function problems(url?: string): Promise<readonly Record<string, unknown>[]> {
  const { status, stdout } = await check(url, ["--json"]);
  const found: readonly Record<string, unknown>[] = JSON.parse(stdout).problems;
  expect(status).toBe(found.some(({ severity }) => severity === "error") ? 1 : 0);
  return found;
}

/** Runs the fixes of SQL as an operator would paste them. */
async function mend(found: readonly Record<string, unknown>[]): Promise<void> {
  for (const { fix } of found) {
    const { kind, text } = fix as { kind: string; text: string };
    expect(kind).toBe("sql");
    await database.query(text);
  }
}

test("a source in which nothing is wrong or missing keeps the contract", async () => {
  expect(await check()).toMatchObject({
    status: 0,
    stdout: "The source keeps the contract (1 tenant, 2 programs).\n",
  });
});

describe("rows that are missing", () => {
  test("no tenant at all", async () => {
    await database.query("TRUNCATE travel.trips");
    const { status, stdout } = await check();
    expect(status).toBe(0);
    expect(stdout).toContain("  warning no_tenants\n");
    expect(stdout).not.toContain("keeps the contract");
    expect(stdout).toMatch(
      /The source may not show all that it should: 1 warning \(0 tenants, 0 programs\)\.\n$/,
    );
  });

  test("no program at all is said once, not for each tenant", async () => {
    await define("programs", `${programs} WHERE false`);
    expect(await problems()).toMatchObject([{ severity: "warning", code: "no_programs", view: "programs" }]);
  });

  test("tenants without programs, by name", async () => {
    await define("tenants", "VALUES ('acme', 'Acme'), ('Beta', 'Beta'), ('gamma', 'Gamma')");
    await database.query("ALTER VIEW partner_source.tenants RENAME column1 TO tenant_id");
    await database.query("ALTER VIEW partner_source.tenants RENAME column2 TO name");
    expect(await problems()).toMatchObject([
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

describe("rows that are hidden", () => {
  test("a security_invoker view is named, and its fix gives the owner's rights back", async () => {
    const reader = await database.createReader();
    await database.query("ALTER VIEW partner_source.programs SET (security_invoker = on)");
    await database.query("GRANT USAGE ON SCHEMA travel TO PUBLIC; GRANT SELECT ON travel.trips TO PUBLIC");
    const found = await problems(reader);
    expect(found).toMatchObject([{ severity: "warning", code: "security_invoker", view: "programs" }]);
    await mend(found);
    expect(await problems(reader)).toEqual([]);
  });

  test("row-level security that applies to the role, through a security_invoker view", async () => {
    const reader = await database.createReader();
    await database.query("ALTER VIEW partner_source.programs SET (security_invoker = true)");
    await database.query("GRANT USAGE ON SCHEMA travel TO PUBLIC; GRANT SELECT ON travel.trips TO PUBLIC");
    await database.query("ALTER TABLE travel.trips ENABLE ROW LEVEL SECURITY");
    const found = await problems(reader);
    expect(found.map(({ code }) => code)).toEqual(["no_programs", "security_invoker", "row_security"]);
    await mend(found.filter(({ code }) => code === "row_security"));
    expect((await problems(reader)).map(({ code }) => code)).toEqual(["security_invoker"]);
  });

  test("row-level security that applies to the view's owner, also behind another view", async () => {
    const reader = await database.createReader();
    const owner = `${new URL(reader).username}_owner`;
    await database.query(`
      CREATE ROLE ${owner};
      GRANT USAGE ON SCHEMA travel TO ${owner};
      GRANT SELECT ON travel.trips TO ${owner};
      CREATE VIEW travel.offered AS SELECT * FROM travel.trips;
      ALTER VIEW travel.offered OWNER TO ${owner};
      ALTER TABLE travel.trips ENABLE ROW LEVEL SECURITY;
      CREATE POLICY first_only ON travel.trips TO PUBLIC USING (id = 'T1')`);
    try {
      // The table's owner is exempt, and so are views of theirs.
      expect(await problems(reader)).toEqual([]);
      await define("programs", programs.replace("FROM travel.trips", "FROM travel.offered"));
      await database.query(`GRANT SELECT ON partner_source.programs TO ${new URL(reader).username}`);
      const found = await problems(reader);
      expect(found).toMatchObject([{ severity: "warning", code: "row_security", view: "programs" }]);
      expect(found[0]?.message).toContain(`Row-level security of travel.trips applies to the role ${owner}`);
      await mend(found);
      expect(await problems(reader)).toEqual([]);
    } finally {
      await database.query(`DROP OWNED BY ${owner} CASCADE; DROP ROLE ${owner}`);
    }
  });

  test("row-level security that the owner is forced to obey", async () => {
    const reader = await database.createReader();
    const owner = `${new URL(reader).username}_owner`;
    await database.query(`
      CREATE ROLE ${owner};
      GRANT USAGE ON SCHEMA travel, partner_source TO ${owner};
      ALTER TABLE travel.trips OWNER TO ${owner};
      ALTER VIEW partner_source.programs OWNER TO ${owner};
      ALTER TABLE travel.trips ENABLE ROW LEVEL SECURITY`);
    try {
      expect(await problems(reader)).toEqual([]);
      await database.query("ALTER TABLE travel.trips FORCE ROW LEVEL SECURITY");
      expect((await problems(reader)).map(({ code }) => code)).toEqual(["no_programs", "row_security"]);
    } finally {
      await database.query(`DROP OWNED BY ${owner} CASCADE; DROP ROLE ${owner}`);
    }
  });
});

describe("rows that cannot be read", () => {
  test("a cast that fails at one row names the view and the tenant, and the rest is checked", async () => {
    await database.query(`
      INSERT INTO travel.trips SELECT 'beta', 'B' || n, ' ', n FROM generate_series(1, 300) AS n;
      INSERT INTO travel.trips VALUES ('acme', 'T3', 'Lake', 'a dozen')`);
    const { status, stdout } = await check(undefined, ["--json"]);
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
          text: "run SELECT * FROM partner_source.programs WHERE tenant_id = 'acme' and correct the view",
        },
      },
      { code: "program_name_blank", view: "programs", count: 300 },
    ]);
    expect(problems[0].message).toBe(
      'Reading partner_source.programs for the tenant acme fails: invalid input syntax for type integer: "a dozen".',
    );
  });

  test("a view tenants that fails leaves the others counted", async () => {
    await define("tenants", "SELECT (1 / (random() * 0)::int)::text AS tenant_id, '' AS name");
    const { status, stdout } = await check(undefined, ["--json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      rows: { tenants: null, programs: 2 },
      problems: [{ code: "view_unreadable", view: "tenants" }],
    });
  });

  test("tenants that a type calls equal are an error, as they are to a build", async () => {
    await database.query("CREATE EXTENSION citext");
    await database.query("INSERT INTO travel.trips VALUES ('ACME', 'U1', 'Up', '1')");
    await database.query(
      "CREATE FUNCTION travel.brand_of(text) RETURNS citext LANGUAGE sql AS 'SELECT $1::citext'",
    );
    await define("programs", programs.replace("brand AS", "travel.brand_of(brand) AS"));
    const found = await problems();
    expect(found).toMatchObject([
      {
        code: "tenant_unreadable",
        view: null,
        count: 2,
        examples: [{ tenantId: "ACME" }, { tenantId: "acme" }],
      },
    ]);
    expect(found[0]?.message).toBe(
      "Reading the tenant ACME fails: partner_source.programs gave a row of another tenant than asked for.",
    );
  });
});

test("on a terminal the check shows how far it is, and leaves nothing of it behind", async () => {
  const { stderr } = await check(undefined, [], { errorColumns: 80 });
  expect(stderr).toContain("0/1 tenants");
  expect(stderr.endsWith("\r\u001b[K")).toBe(true);
});
