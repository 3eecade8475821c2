import { beforeEach, describe, expect, test } from "vitest";
import { builtProgram } from "../../support/build-effect.ts";
import { allStoredText } from "../../support/store-tree.ts";
import { useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();

beforeEach(async () => {
  await bench.reset();
  await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme Tours" });
});

describe("text arrays", () => {
  test("keep their order; NULL elements are dropped; odd bounds are nothing special", async () => {
    await bench.insertPrograms("acme", "p", "q");
    await bench.source.query(
      `UPDATE partner_source.programs SET included = '[5:7]={b,NULL,a}', excluded = '{}', visits = '{"a,b","{}"}',
              marketing_tags = '{"NULL",null," "}' WHERE program_id = 'p'`,
    );
    const { detail } = await builtProgram(bench, "p");
    expect(detail.content).toMatchObject({ included: ["b", "a"], excluded: [], visits: ["a,b", "{}"] });
    expect(detail.marketingTags).toEqual(["NULL"]);
  });
});

describe("what the generator reads", () => {
  test("D4 is nothing but the contract's columns: an extra one of a view is never even evaluated", async () => {
    await bench.insertPrograms("acme", "p");
    await bench.insertRows("room_prices", "acme", "p", { occupancy: 2, amount: 10 });
    const views = ["tenants", "programs", "room_prices", "enrollments", "staff", "flights", "faq"];
    for (const view of views) {
      await bench.source.query(`ALTER TABLE partner_source.${view} RENAME TO ${view}_kept`);
      await bench.source.query(
        `CREATE VIEW partner_source.${view} AS
           SELECT *, 1 / (tenant_id IS NULL)::int AS poison, 'CANARY-7f3a' AS secret FROM partner_source.${view}_kept`,
      );
    }
    try {
      await expect(bench.source.query("SELECT * FROM partner_source.programs")).rejects.toThrow(
        "division by zero",
      );
      const { detail } = await builtProgram(bench, "p");
      expect(detail.prices.startingAmount).toBe(10);
      expect(await allStoredText(bench.storeDirectory)).not.toContain("CANARY-7f3a");
    } finally {
      for (const view of views) {
        await bench.source.query(`DROP VIEW partner_source.${view}`);
        await bench.source.query(`ALTER TABLE partner_source.${view}_kept RENAME TO ${view}`);
      }
    }
  });

  test("takes no more rights than USAGE on the schema and SELECT on the views", async () => {
    await bench.insertPrograms("acme", "p");
    const { status } = await bench.build([], { env: { DATABASE_URL: await bench.database.createReader() } });
    expect(status).toBe(0);
    expect((await bench.published("acme")).list.meta.count).toBe(1);
  });
});
