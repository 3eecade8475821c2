import { describe, expect, test } from "vitest";
import { forEachTest } from "../../support/lasting.ts";
import { openTripsSource } from "../../support/trips-source.ts";

const trips = forEachTest(openTripsSource);

describe("rows that cannot be read", () => {
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
});
