import { describe, expect, test } from "vitest";
import { builtProgram } from "../../support/build-effect.ts";
import { allStoredText } from "../../support/store-tree.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench("acme");

describe("children", () => {
  test("D39 stand by position, NULL last, ties by their content, whatever the order of the rows", async () => {
    await bench.insertPrograms("acme", "p");
    const rows = [
      { position: null, title: "no position" },
      { position: 10, title: "ten" },
      { position: 2, title: "two b" },
      { position: 2, title: "two a" },
      { position: -1, title: "first" },
      { position: 2147483647, title: "far" },
    ];
    await bench.insertRows("itinerary", "acme", "p", ...rows);
    const titles = async () =>
      (await builtProgram(bench, "p")).detail.content?.itinerary.map(({ title }) => title);
    const expected = ["first", "two a", "two b", "ten", "far", "no position"];
    expect(await titles()).toEqual(expected);
    await bench.source.query("DELETE FROM partner_source.itinerary");
    await bench.insertRows("itinerary", "acme", "p", ...rows.reverse());
    expect([await titles(), (await bench.build()).report.outcome]).toEqual([expected, "unchanged"]);
  });

  test("D36 of programs that don't exist, or without an id, are passed over with a warning", async () => {
    await bench.insertPrograms("acme", "p");
    await bench.source.insert(
      "faq",
      { tenant_id: "acme", program_id: "ghost", question: "Q", answer: "A" },
      { tenant_id: "acme", program_id: null, question: "Q", answer: "A" },
      { tenant_id: null, program_id: "p", question: "Q", answer: "A" },
    );
    const { report } = await bench.build();
    expect(tenantRun(report, "acme").problems).toMatchObject([
      {
        code: "rows_of_unknown_program",
        severity: "warning",
        programId: "ghost",
        value: expect.stringMatching(/^faq: 2 .* ghost$/),
      },
    ]);
    expect((await bench.published("acme")).details.get("p")?.content).toBeNull();
  });
});

test("text arrays keep their order; NULL elements are dropped; odd bounds are nothing special", async () => {
  await bench.insertPrograms("acme", "p", "q");
  await bench.source.query(
    `UPDATE partner_source.programs SET included = '[5:7]={b,NULL,a}', excluded = '{}', visits = '{"a,b","{}"}',
              marketing_tags = '{"NULL",null," "}' WHERE program_id = 'p'`,
  );
  const { detail } = await builtProgram(bench, "p");
  expect(detail.content).toMatchObject({ included: ["b", "a"], excluded: [], visits: ["a,b", "{}"] });
  expect(detail.marketingTags).toEqual(["NULL"]);
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
    expect([status, (await bench.published("acme")).list.meta.count]).toEqual([0, 1]);
  });
});
