import { beforeEach, describe, expect, test } from "vitest";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { sourceMemoryKey } from "../../../core/ground/object-key.ts";
import { type BuildResult, freshWorkbench, tenantRun } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
const bench = freshWorkbench("acme");

beforeEach(async () => {
  for (const id of ids) {
    await bench.insertPrograms("acme", { program_id: id, description: `About ${id}`, currency: "EUR" });
    await bench.insertRows("room_prices", "acme", id, { occupancy: 2, amount: "790.00" });
    await bench.insertRows("faq", "acme", id, { position: 1, question: "Why?", answer: "So." });
  }
  expect((await bench.build()).status).toBe(0);
});

/** Mistakes of a view, and the fields that partners would lose by them. */
const mistakes: readonly (readonly [what: string, sql: string, fields: string])[] = [
  ["a view that gives no row", "DELETE FROM partner_source.faq", "content "],
  [
    "a join that finds nothing any more",
    "UPDATE partner_source.room_prices SET program_id = 'P-' || program_id",
    "prices.startingAmount",
  ],
];

/** How a build may come to what it compares with. */
const memories: readonly (readonly [
  what: string,
  lose: () => Promise<unknown>,
  env: Record<string, string>,
])[] = [
  ["what it remembers", async () => {}, {}],
  ["a lost memory", () => bench.store.delete([sourceMemoryKey(acme)]), {}],
  ["a memory of other settings", async () => {}, { MAX_VALUE_KB: "512" }],
];

async function withdraw(id: string): Promise<void> {
  await bench.source.query(
    "UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE program_id = $1",
    [id],
  );
}

function expectRefused({ status, report }: BuildResult, field: string): void {
  expect(status).toBe(4);
  expect(tenantRun(report, "acme")).toMatchObject({
    outcome: "refused",
    failure: { code: "field_guard", message: expect.stringContaining(field) },
  });
}

describe.each(memories)("with %s,", (_, lose, env) => {
  test.each(mistakes)(
    "P140 %s is refused, what partners see stays, and a withdrawal beside it goes",
    async (_what, sql, field) => {
      await bench.source.query(sql);
      await withdraw("b");
      await lose();
      const before = await bench.published("acme");
      const refused = await bench.build([], { env });
      expectRefused(refused, `${field}`);
      const after = await bench.published("acme");
      expect([...after.details]).toEqual([...before.details].filter(([id]) => id !== "b"));
      expectRefused(await bench.build([], { env }), `${field}`);
      const allowed = await bench.build(["--allow-emptied"], { env });
      expect(allowed.status).toBe(0);
      expect(tenantRun(allowed.report, "acme")).toMatchObject({
        outcome: "published",
        counts: { changed: 7 },
      });
      expect((await bench.build([], { env })).report.outcome).toBe("unchanged");
    },
  );
});

test("P140 a field that most programs keep, or that few ever had, is no reason to refuse", async () => {
  await bench.source.query("DELETE FROM partner_source.faq WHERE program_id <= 'd'");
  const { status, report } = await bench.build();
  expect(status).toBe(0);
  expect(tenantRun(report, "acme")).toMatchObject({
    outcome: "published",
    counts: { changed: 4 },
    problems: [],
  });
});

test("P140 a live detail that is damaged has nothing to lose, and keeps no build back", async () => {
  const { manifest } = await bench.published("acme");
  await bench.source.query("DELETE FROM partner_source.faq WHERE program_id = 'a'");
  const keys = [...manifest.programs.ids()].map(
    (id) => `tenants/acme/snapshots/${manifest.snapshotId}/v1/programs/${id}.json`,
  );
  await bench.store.delete([sourceMemoryKey(acme), ...keys.slice(0, 1)] as never);
  expect((await bench.build()).status).toBe(0);
});

test("P140 a field that all of a few programs lose is named, once", async () => {
  await bench.source.query("DELETE FROM partner_source.faq WHERE program_id > 'c'");
  await bench.build(["--allow-emptied"]);
  await bench.source.query("DELETE FROM partner_source.faq");
  const dry = await bench.run(["snapshot", "build", "--dry-run"]);
  expect(dry.stdout).toContain("  warning fields_emptied (1): acme content = empty for 3 of 3: a, b, c (");
  const { status, report } = await bench.build();
  expect(status).toBe(0);
  expect(tenantRun(report, "acme").problems).toMatchObject([
    { severity: "warning", code: "fields_emptied", field: "content", value: "empty for 3 of 3: a, b, c" },
  ]);
  expect(tenantRun((await bench.build()).report, "acme").problems).toEqual([]);
});

test("P143 another number of places taken in most programs is named", async () => {
  for (const id of ids)
    await bench.insertRows("enrollments", "acme", id, { status: "ok", role: "passenger" });
  const { status, report } = await bench.build();
  expect(status).toBe(0);
  expect(tenantRun(report, "acme").problems).toMatchObject([
    { code: "capacity_changed", field: "capacity.used", value: "8 of 8 program(s)" },
  ]);
});

test("P147 a dry run names what a build would do; nothing once it is done", async () => {
  await withdraw("b");
  await bench.source.query("DELETE FROM partner_source.programs WHERE program_id = 'c'");
  await bench.insertPrograms("acme", "new-1", "new-2");
  await bench.source.query("UPDATE partner_source.room_prices SET amount = 800 WHERE program_id = 'a'");
  await bench.source.update("name = 'Other'", "a");
  const { report, status } = await bench.build(["--dry-run"]);
  expect(status).toBe(0);
  expect(tenantRun(report, "acme").changes).toEqual({
    added: ["new-1", "new-2"],
    changed: ["a"],
    removed: ["c"],
    withdrawn: ["b"],
  });
  const { stdout } = await bench.run(["snapshot", "build", "--dry-run"]);
  expect(stdout).toContain(
    [
      "acme: a build would",
      "  add 2 programs: new-1, new-2",
      "  change 1 program: a",
      "  remove 1 program: c",
      "  withdraw 1 program: b",
      "",
    ].join("\n"),
  );
  const built = await bench.build();
  expect(tenantRun(built.report, "acme")).not.toHaveProperty("changes");
  const { report: after } = await bench.build(["--dry-run"]);
  expect(tenantRun(after, "acme").changes).toEqual({ added: [], changed: [], removed: [], withdrawn: [] });
  expect((await bench.run(["snapshot", "build", "--dry-run"])).stdout).not.toContain("would");
});
