import { beforeEach, describe, expect, test } from "vitest";
import { buildWithoutEffect } from "../../support/build-effect.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench("acme");

async function publishedIds(): Promise<readonly string[]> {
  return (await bench.published("acme")).list.data.map(({ id }) => id);
}

describe("a program with an error", () => {
  beforeEach(async () => {
    await bench.insertPrograms("acme", "good-1", "good-2");
    await bench.build();
    await bench.insertPrograms("acme", { program_id: "bad", name: " " }, "good-3");
  });

  test("P19 is left out and named, the rest is published, and the run ends with 3", async () => {
    const { status, report } = await bench.build();
    expect([status, report.outcome]).toEqual([3, "partial"]);
    expect(tenantRun(report, "acme")).toMatchObject({
      outcome: "published",
      counts: { programs: 3, added: 1, invalid: 1 },
      failure: null,
      leftOut: ["bad"],
      problems: [{ severity: "error", code: "program_name_blank", programId: "bad", field: "name" }],
    });
    expect(await publishedIds()).toEqual(["good-1", "good-2", "good-3"]);
  });

  test("P19 fails its tenant's build with --on-invalid fail, and the snapshot stays live", async () => {
    const { status, report, stdout } = await buildWithoutEffect(bench, "--on-invalid", "fail");
    expect([status, report.outcome]).toEqual([1, "failed"]);
    expect(tenantRun(report, "acme")).toMatchObject({
      outcome: "failed",
      counts: { programs: 2, invalid: 1 },
      livePrograms: 2,
      failure: { code: "invalid_program", message: expect.stringContaining("bad (program_name_blank)") },
      problems: [{ severity: "error", code: "program_name_blank", programId: "bad", field: "name" }],
    });
    expect(stdout).toContain("--on-invalid report");
    expect(await publishedIds()).toEqual(["good-1", "good-2"]);
  });
});

describe("D3 programs of one id", () => {
  beforeEach(async () => {
    await bench.insertPrograms("acme", "a", "twin", { program_id: "twin", name: "Other" }, "z");
    await bench.insertRows("room_prices", "acme", "twin", { occupancy: 2, amount: 10 });
  });

  test("are one error, and neither is published", async () => {
    await bench.insertPrograms("acme", "twin");
    const { status, report } = await bench.build();
    expect(status).toBe(3);
    expect(tenantRun(report, "acme")).toMatchObject({
      counts: { invalid: 1 },
      leftOut: ["twin"],
      problemCounts: { program_id_duplicate: 1 },
    });
    expect(await publishedIds()).toEqual(["a", "z"]);
  });

  test("are none when neither is publishable", async () => {
    await bench.source.update("lifecycle_state = 'draft'", "twin");
    const { status, report } = await bench.build();
    expect(status).toBe(0);
    expect(tenantRun(report, "acme").counts).toMatchObject({ programs: 2, invalid: 0, notPublishable: 1 });
  });
});

describe("P10 the shrink guard", () => {
  test.each([
    [12, 5, "more than half, by 7"],
    [9, 4, "more than half, by exactly 5"],
    [3, 0, "to zero"],
  ])("refuses a fall from %d to %d programs (%s), and says how to override", async (before, after) => {
    await bench.insertMany("acme", before);
    await bench.build();
    await bench.source.query(
      `DELETE FROM partner_source.programs WHERE program_id NOT IN (
         SELECT program_id FROM partner_source.programs LIMIT ${after})`,
    );
    const { status, report, stdout } = await buildWithoutEffect(bench);
    expect([status, report.outcome]).toEqual([4, "refused"]);
    expect(tenantRun(report, "acme")).toMatchObject({
      outcome: "refused",
      failure: { code: "shrink_guard" },
    });
    expect(stdout).toContain("--allow-shrink");

    const allowed = await bench.build(["--allow-shrink"]);
    expect(allowed.status).toBe(0);
    expect((await bench.published("acme")).list.meta.count).toBe(after);
  });

  test("counts faulty programs as lost", async () => {
    await bench.insertMany("acme", 10);
    await bench.build();
    await bench.source.query("UPDATE partner_source.programs SET name = '' WHERE program_id <> 'p-1'");
    expect((await buildWithoutEffect(bench, "--on-invalid", "skip")).status).toBe(4);
  });
});
