import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTripsSource, type TripsSource, tripsAsPrograms } from "../../support/trips-source.ts";

let trips: TripsSource;

beforeEach(async () => {
  trips = await openTripsSource();
});

afterEach(async () => {
  await trips.database.drop();
});

describe("rows that cannot be read", () => {
  test("P104 a security_invoker view whose tables the role may not read is an error, and says who needs which right", async () => {
    const reader = await trips.database.createReader();
    await trips.database.query("ALTER VIEW partner_source.programs SET (security_invoker = on)");
    const found = await trips.problems(reader);
    expect(found.map(({ code, severity }) => [code, severity])).toEqual([
      ["security_invoker", "warning"],
      ["view_unreadable", "error"],
    ]);
    expect(found[1]?.message).toContain("permission denied for table trips");
    expect(found[1]).toMatchObject({
      fix: { kind: "advice", text: expect.stringContaining("to the connected role") },
    });
    await trips.mend(found.slice(0, 1));
    expect(await trips.problems(reader)).toEqual([]);
  });

  test("P133 a cast that fails at one row names the view and the tenant, and the rest is checked", async () => {
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
    await trips.define("tenants", "SELECT (1 / (random() * 0)::int)::text AS tenant_id, '' AS name");
    const { status, stdout } = await trips.check(undefined, ["--json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      rows: { tenants: null, programs: 2 },
      problems: [{ code: "view_unreadable", view: "tenants" }],
    });
  });

  test("D130 tenants that a type calls equal are two, as they are to a build", async () => {
    await trips.database.query("CREATE EXTENSION citext");
    await trips.database.query("INSERT INTO travel.trips VALUES ('ACME', 'U1', 'Up', '1')");
    await trips.database.query(
      "CREATE FUNCTION travel.brand_of(text) RETURNS citext LANGUAGE sql AS 'SELECT $1::citext'",
    );
    await trips.define("programs", tripsAsPrograms.replace("brand AS", "travel.brand_of(brand) AS"));
    expect(await trips.problems()).toEqual([]);
  });
});
