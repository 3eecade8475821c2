import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForAllTests } from "../../support/lasting.ts";
import { changedKeys } from "../../support/store-tree.ts";
import { freshWorkbench, parsedReport, tenantRun, type Workbench } from "../../support/workbench.ts";

const bench = freshWorkbench();
const scratch = folderForAllTests();

beforeEach(async () => {
  for (const tenantId of ["acme", "beta", "gamma"]) {
    await bench.source.insert("tenants", { tenant_id: tenantId });
    await bench.insertPrograms(tenantId, "a", "b");
  }
});

function outcomes(report: Awaited<ReturnType<Workbench["build"]>>["report"]): string[] {
  return report.tenants.map(({ tenantId, outcome }) => `${tenantId} ${outcome}`);
}

describe("--tenant", () => {
  test.each([
    [["--tenant", "beta"], ["beta published"]],
    [
      ["--tenant", "gamma", "--tenant", "acme"],
      ["acme published", "gamma published"],
    ],
    [
      ["--tenant", "gamma", "acme"],
      ["acme published", "gamma published"],
    ],
  ])("%j builds these tenants and no others", async (args, expected) => {
    const { status, report } = await bench.build(args);
    expect([status, outcomes(report)]).toEqual([0, expected]);
    const keys = [...(await bench.tree()).keys()].filter((key) => key !== "store.json");
    const folders = new Set(keys.map((key) => key.split("/")[1]));
    expect([...folders].sort()).toEqual(expected.map((text) => text.split(" ")[0]));
  });

  test("of an unknown tenant builds nothing, also not the known ones beside it", async () => {
    const { status, report, stderr } = await bench.build(["--tenant", "acme", "--tenant", "nobody"]);
    expect(status).toBe(1);
    expect(report).toMatchObject({ outcome: "failed", tenants: [], failure: { code: "not_found" } });
    expect(stderr).toContain("list nobody. ");
    expect(stderr).not.toContain("store_");
    expect([...(await bench.tree())]).toEqual([]);
  });
});

describe("--dry-run", () => {
  test("does everything but publish: it counts and finds, and writes nothing", async () => {
    await bench.build(["--tenant", "acme"]);
    await bench.insertPrograms("acme", { program_id: "c", currency: "?" });
    const before = await bench.tree();
    const { status, report } = await bench.build(["--dry-run"]);
    expect(status).toBe(0);
    expect(report.outcome).toBe("dry-run");
    expect(outcomes(report)).toEqual(["acme would-publish", "beta would-publish", "gamma would-publish"]);
    expect(tenantRun(report, "acme")).toMatchObject({
      bytesWritten: 0,
      counts: { programs: 3, added: 1, unchanged: 2 },
      problemCounts: { currency_invalid: 1 },
      requests: { put: 0, delete: 0 },
    });
    expect(changedKeys(before, await bench.tree())).toEqual([]);
    const runs = [...(await bench.tree()).keys()].filter((key) => key.startsWith("runs/"));
    expect(runs).toEqual([]);
  });

  test("fails as the real build would: invalid programs, a shrunken tenant", async () => {
    await bench.build();
    await bench.source.query("UPDATE partner_source.programs SET name = '' WHERE tenant_id = 'acme'");
    expect((await bench.build(["--dry-run"])).status).toBe(3);
    await bench.source.query("DELETE FROM partner_source.programs");
    expect((await bench.build(["--dry-run"])).status).toBe(4);
  });
});

describe("--report and --json", () => {
  test("write the same report, which fits its schema, to the file and to standard output", async () => {
    const path = join(scratch, "report.json");
    const { status, stdout, report } = await bench.build(["--report", path]);
    expect(status).toBe(0);
    expect(await readFile(path, "utf8")).toBe(stdout);
    expect(parsedReport(stdout)).toEqual(report);
  });

  test.each([
    ["in a folder that is not there", "no/such/folder.json", "missing"],
    ["that is a folder", ".", "is a folder"],
    ["below a file", "file/report.json", "no folder"],
    ["with a name that is too long", `${"x".repeat(300)}/report.json`, "too long"],
  ])("a report %s is refused before anything is built", async (_, name, reason) => {
    await writeFile(join(scratch, "file"), "");
    const path = join(scratch, name);
    const { status, stdout, stderr } = await bench.run(["snapshot", "build", "--report", path]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("partner-programs: --report: ");
    expect(stderr).toContain(path);
    expect(stderr).toContain(reason);
    expect([...(await bench.tree())]).toEqual([]);
  });

  test("many findings are counted all, kept up to a bound and shown but a few", async () => {
    await bench.source.query(`
      INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state)
      SELECT 'acme', 'n' || n, 'Tour', 'active' FROM generate_series(1, 300) AS n`);
    const { report } = await bench.build(["--dry-run"]);
    const run = tenantRun(report, "acme");
    expect(run.problemCounts).toEqual({ capacity_total_invalid: 300 });
    expect([run.problems.length, run.problemsOmitted]).toEqual([200, 100]);
    expect(report.totals.warnings).toBe(300);
    const { stdout } = await bench.run(["snapshot", "build"]);
    const lines = stdout.split("\n").filter((line) => line.includes("capacity_total_invalid"));
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}warning capacity_total_invalid \(300\): acme \/ n1 .*; and 297 more /),
    ]);
  });
});
