import { beforeEach, describe, expect, test } from "vitest";
import { contractViews } from "../../../cli/publish/source/contract.ts";
import { tenantRun, useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();

/** Gives the column this type in every view that has it. */
async function retype(column: string, type: string): Promise<void> {
  for (const view of contractViews) {
    if (!(column in view.columns)) continue;
    await bench.source.query(
      `ALTER TABLE partner_source.${view.name} ALTER COLUMN ${column} TYPE ${type} USING ${column}::text::${type}`,
    );
  }
}

describe("ids of other types than text", () => {
  beforeEach(async () => {
    await bench.reset();
    await retype("tenant_id", "text");
    await retype("program_id", "text");
  });

  const uuid = "0b9e3f7a-1c2d-4e5f-8a9b-0c1d2e3f4a5b";
  test.each([
    ["uuid", "uuid", uuid, ["1c9e3f7a-1c2d-4e5f-8a9b-0c1d2e3f4a5b", "2d9e3f7a-1c2d-4e5f-8a9b-0c1d2e3f4a5b"]],
    ["int", "int", "42", ["7", "10", "100", "9"]],
    ["bigint", "smallint", "9007199254740993", ["1", "2"]],
    ["name", "varchar", "acme", ["A", "a", "B"]],
  ])(
    "tenants %s and programs %s are published with their children",
    async (tenantType, programType, tenantId, ids) => {
      await retype("tenant_id", tenantType);
      await retype("program_id", programType);
      await bench.source.insert("tenants", { tenant_id: tenantId, name: "Acme" });
      await bench.insertPrograms(tenantId, ...ids);
      for (const [at, id] of ids.entries()) {
        await bench.insertRows("room_prices", tenantId, id, { occupancy: 2, amount: at + 1 });
        await bench.insertRows("enrollments", tenantId, id, { status: "confirmed", role: "passenger" });
        await bench.insertRows("faq", tenantId, id, { position: 1, question: "Q", answer: id });
      }
      for (const args of [[], ["--tenant", tenantId]]) expect((await bench.build(args)).status).toBe(0);
      const { list, details } = await bench.published(tenantId);
      expect(list.data.map(({ id }) => id)).toEqual([...ids].sort());
      for (const [at, id] of ids.entries()) {
        expect(details.get(id)).toMatchObject({
          capacity: { used: 1 },
          prices: { startingAmount: at + 1 },
          content: { faq: [{ answer: id }] },
        });
      }
    },
  );

  test("ids that a collation calls equal are still two programs, each with its own children", async () => {
    await bench.source.query(
      "CREATE COLLATION IF NOT EXISTS caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    );
    await retype("program_id", "text COLLATE caseless");
    await retype("tenant_id", "text COLLATE caseless");
    await bench.source.insert("tenants", { tenant_id: "acme" });
    await bench.insertPrograms("acme", "a", "A", "b", "c", "d", "e");
    for (const [at, id] of ["A", "a"].entries()) {
      await bench.insertRows("room_prices", "acme", id, { occupancy: at + 1, amount: at + 1 });
      await bench.insertRows("enrollments", "acme", id, ...Array.from({ length: at + 3 }, () => ({})));
    }
    expect((await bench.build()).status).toBe(0);
    // Read by its id alone, beside what is taken over.
    await bench.source.query(
      `UPDATE partner_source.programs SET description = 'new' WHERE program_id COLLATE "C" = 'A'`,
    );
    const { status, report } = await bench.build();
    expect([status, tenantRun(report, "acme").counts]).toMatchObject([0, { changed: 1, unchanged: 5 }]);
    const { list, details } = await bench.published("acme");
    expect(list.data.map(({ id }) => id)).toEqual(["A", "a", "b", "c", "d", "e"]);
    for (const [at, id] of ["A", "a"].entries()) {
      const own = { capacity: { used: at + 3 }, prices: { rooms: [{ occupancy: at + 1, amount: at + 1 }] } };
      expect(details.get(id)).toMatchObject(own);
      // Its queries are those for large rows.
      const preview = await bench.run(["source", "preview", "--tenant", "acme", "--program", id, "--json"]);
      expect(JSON.parse(preview.stdout).program.document.data).toMatchObject(own);
    }
  });

  test.each([
    ["citext", "citext"],
    ["a collation", "text COLLATE caseless"],
  ])("D130 tenants that %s calls equal are two, and rows of a third are passed over", async (_, type) => {
    await bench.source.query(`
      CREATE EXTENSION IF NOT EXISTS citext;
      CREATE COLLATION IF NOT EXISTS caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`);
    await retype("tenant_id", type);
    await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "ACME" });
    for (const [at, tenantId] of ["acme", "ACME", "Acme"].entries()) {
      await bench.insertPrograms(
        tenantId,
        "a",
        { program_id: "gone", lifecycle_state: "active" },
        `own-${at}`,
      );
      await bench.insertRows("room_prices", tenantId, "a", { occupancy: 1, amount: at + 1 });
      await bench.insertRows(
        "enrollments",
        tenantId,
        "a",
        ...Array.from({ length: at + 1 }, () => ({ role: "passenger" })),
      );
      await bench.insertRows("faq", tenantId, "nowhere", { question: "Why?", answer: "So" });
    }
    const { status, report } = await bench.build();
    expect([status, report.problems]).toMatchObject([
      0,
      [{ code: "programs_of_unknown_tenant", value: "Acme: 3 program(s)" }],
    ]);
    for (const [at, tenantId] of ["acme", "ACME"].entries()) {
      const { details } = await bench.published(tenantId);
      expect([...details.keys()].sort()).toEqual(["a", "gone", `own-${at}`]);
      expect(details.get("a")).toMatchObject({
        capacity: { used: at + 1 },
        prices: { startingAmount: at + 1 },
      });
    }
    await bench.source.query(
      `UPDATE partner_source.programs SET lifecycle_state = 'cancelled', name = NULL
        WHERE program_id = 'gone' AND tenant_id::text COLLATE "C" IN ('Acme', 'ACME')`,
    );
    const again = await bench.build();
    expect(tenantRun(again.report, "acme").outcome).toBe("unchanged");
    expect(tenantRun(again.report, "ACME").counts).toMatchObject({ withdrawn: 1, unchanged: 2 });
  });
});

test("columns of other types enums, varchar, small and large integers, domains and arrays of varchar are read like the contract's", async () => {
  await bench.reset();
  await bench.source.query(`
      CREATE TYPE program_state AS ENUM ('draft', 'active', 'ended');
      CREATE TYPE enrollment_status AS ENUM ('confirmed', 'cancelled');
      CREATE DOMAIN price AS numeric(10, 2) CHECK (value >= 0);
      ALTER TABLE partner_source.programs
        ALTER lifecycle_state TYPE program_state USING lifecycle_state::program_state,
        ALTER capacity_total TYPE bigint, ALTER currency TYPE char(3), ALTER included TYPE varchar(20)[],
        ALTER legacy_price TYPE int;
      ALTER TABLE partner_source.enrollments ALTER status TYPE enrollment_status USING status::enrollment_status;
      ALTER TABLE partner_source.room_prices ALTER amount TYPE price, ALTER occupancy TYPE smallint;
      ALTER TABLE partner_source.hotel_stays ALTER position TYPE bigint, ALTER star_level TYPE smallint`);
  await bench.source.insert("tenants", { tenant_id: "acme" });
  await bench.insertPrograms(
    "acme",
    { program_id: "p", capacity_total: "9007199254740991", currency: "eur", included: ["a"] },
    { program_id: "q", legacy_price: 500 },
    { program_id: "r", capacity_total: "9007199254740993" },
  );
  await bench.insertRows("room_prices", "acme", "p", { occupancy: 3, amount: "12.30" });
  await bench.insertRows("enrollments", "acme", "p", { status: "cancelled", role: "passenger" });
  await bench.insertRows("hotel_stays", "acme", "p", {
    position: "5000000000",
    name: "Late",
    star_level: 5,
  });
  await bench.insertRows("hotel_stays", "acme", "p", { position: "1", name: "Early" });
  expect((await bench.build()).status).toBe(0);
  const { details } = await bench.published("acme");
  expect(details.get("p")).toMatchObject({
    capacity: { total: Number.MAX_SAFE_INTEGER, used: 0 },
    currency: "EUR",
    prices: { rooms: [{ occupancy: 3, amount: 12.3 }] },
    hotels: [{ name: "Early" }, { name: "Late", starLevel: 5 }],
    content: { included: ["a"] },
  });
  expect(details.get("q")?.prices.startingAmount).toBe(500);
  // A total that no number holds is as good as none.
  expect(details.get("r")?.capacity.total).toBe(0);
});
