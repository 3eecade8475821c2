import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { withSourceClient } from "../../../cli/database/source-client.ts";
import { seedSource } from "../../../cli/demo/booking/seed-source.ts";
import { contractViews } from "../../../cli/publish/source/contract.ts";
import { forAllTests } from "../../support/lasting.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { canaryMark } from "../../support/private-columns.ts";

const database = forAllTests(createTestDatabase);

beforeAll(async () => {
  const options = { seed: "1", today: new Date().toISOString().slice(0, 10), replace: false };
  await withSourceClient({ databaseUrl: database.url }, (client) =>
    seedSource(client, { ...options, tenants: 5, programs: 24 }),
  );
});

describe("the reference views", () => {
  test("a role with USAGE on the schema and SELECT on the views reads every view and no table behind them", async () => {
    const reader = new pg.Client({ connectionString: await database.createReader() });
    await reader.connect();
    try {
      for (const { name } of contractViews) {
        const { rows } = await reader.query<{ rows: number }>(
          `SELECT count(*)::integer AS rows FROM (SELECT * FROM partner_source.${name}) AS view`,
        );
        expect(rows[0]?.rows, name).toBeGreaterThan(0);
      }
      await expect(reader.query("SELECT FROM booking.programs")).rejects.toMatchObject({ code: "42501" });
    } finally {
      await reader.end();
    }
  });

  test.each(contractViews)("no private text is in $name", async ({ name }) => {
    const leaks = await database.query(
      `SELECT view::text FROM partner_source.${name} AS view WHERE view::text LIKE $1`,
      [`%${canaryMark}%`],
    );
    expect(leaks).toEqual([]);
    const [canary] = await database.query<{ rows: number }>(
      "SELECT count(*)::integer AS rows FROM booking.programs WHERE daily_plan LIKE $1",
      [`%${canaryMark}%`],
    );
    expect(canary?.rows).toBe(120);
  });

  test.each(contractViews)(
    "a condition on the tenant reaches an index of every company's table behind $name",
    async ({ name }) => {
      // With so few rows the planner would rather read a whole table: it is only asked what it could do.
      await database.query("SET enable_seqscan = off");
      const plan = await database.query<{ "QUERY PLAN": string }>(
        `EXPLAIN SELECT * FROM partner_source.${name} WHERE tenant_id::text = 'atlas-journeys'`,
      );
      await database.query("RESET enable_seqscan");
      const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
      expect(text).not.toContain("Seq Scan");
      expect(text).toMatch(/Index Cond: .*'atlas-journeys'/);
    },
  );
});

async function stateAt(
  instant: string,
  {
    state = "active",
    departure = "2027-03-20",
    back = "2027-03-27" as string | null,
    zone = "Europe/Istanbul",
  },
): Promise<string | undefined> {
  const [row] = await database.query<{ state: string }>(
    "SELECT booking.lifecycle_state($1, $2, $3, $4, $5) AS state",
    [state, departure, back, zone, instant],
  );
  return row?.state;
}

test("the lifecycle state of the reference view: an active program ends at midnight after its last day, where the company is at home", async () => {
  // Istanbul is three hours ahead of UTC.
  expect(await stateAt("2027-03-27T20:59:59.999Z", {})).toBe("active");
  expect(await stateAt("2027-03-27T21:00:00Z", {})).toBe("ended");
  // New York is four hours behind, since daylight saving time began on 14 March.
  expect(await stateAt("2027-03-28T03:59:59.999Z", { zone: "America/New_York" })).toBe("active");
  expect(await stateAt("2027-03-28T04:00:00Z", { zone: "America/New_York" })).toBe("ended");
});
