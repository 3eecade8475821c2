import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { beginTestStore } from "../../support/begun-store.ts";
import { buildEffect } from "../../support/build-effect.ts";
import { changedKeys } from "../../support/store-tree.ts";
import { freshWorkbench, parsedReport, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench("acme");

beforeEach(async () => {
  await bench.insertPrograms(
    "acme",
    { program_id: "a", departure_date: "2027-05-02", return_date: "2027-05-04" },
    { program_id: "b", departure_date: "2027-05-01", description: "by the sea" },
    { program_id: "c" },
    { program_id: "d", lifecycle_state: "draft" },
  );
  await bench.insertRows("room_prices", "acme", "a", { occupancy: 2, amount: "99.50" });
});

describe("the first build of a tenant", () => {
  test("writes one file for each response, the manifest and the pointer", async () => {
    await beginTestStore(bench.store);
    const { status, run, written } = await buildEffect(bench);
    expect(status).toBe(0);
    expect(run).toMatchObject({
      outcome: "published",
      previousSnapshotId: null,
      counts: { programs: 3, added: 3, changed: 0, removed: 0, unchanged: 0, notPublishable: 1, invalid: 0 },
      failure: null,
    });
    expect(written).toEqual([
      "tenants/acme/current.json",
      "tenants/acme/snapshots/<new>/api/v1/partner/programs.json",
      "tenants/acme/snapshots/<new>/manifest.json",
      "tenants/acme/snapshots/<new>/v1/programs.json",
      "tenants/acme/snapshots/<new>/v1/programs/a.json",
      "tenants/acme/snapshots/<new>/v1/programs/b.json",
      "tenants/acme/snapshots/<new>/v1/programs/c.json",
    ]);
  });

  test("publishes the list in list order, with its count; list fields equal those of the details", async () => {
    await bench.build();
    const { list, details, legacy } = await bench.published("acme");
    expect([list.meta.count, list.data.map(({ id }) => id), details.size]).toEqual([3, ["b", "a", "c"], 3]);
    for (const item of list.data) expect(details.get(item.id)).toMatchObject(item);
    expect(legacy).toEqual({
      success: true,
      programs: ["b", "a", "c"].map((id) => ({
        name: `Tour ${id}`,
        capacity: { total: 10, used: 0, remaining: 10 },
      })),
    });
  });

  test("of a tenant without programs publishes an empty list", async () => {
    await bench.source.insert("tenants", { tenant_id: "empty", name: "Empty" });
    const { status } = await bench.build();
    expect(status).toBe(0);
    const { bytes, details } = await bench.published("empty");
    expect(bytes.get("list")).toBe('{"data":[],"meta":{"count":0}}');
    expect(bytes.get("legacy")).toBe('{"success":true,"programs":[]}');
    expect(details.size).toBe(0);
  });

  test("of ids as odd and as long as they may be publishes each under its own name", async () => {
    const tenantId = `T${"~".repeat(63)}`;
    const ids = [
      "a",
      "a.json",
      "programs",
      "manifest",
      "current",
      "constructor",
      "a..b",
      `p${"~".repeat(127)}`,
    ];
    await bench.source.insert("tenants", { tenant_id: tenantId });
    await bench.insertPrograms(tenantId, ...ids);
    expect((await bench.build(["--tenant", tenantId])).status).toBe(0);
    const { list, details } = await bench.published(tenantId);
    expect(list.data.map(({ id }) => id)).toEqual([...ids].sort());
    for (const id of ids) expect(details.get(id)?.name).toBe(`Tour ${id}`);
  });
});

test("P7 an unchanged build writes nothing and says so", async () => {
  const first = await bench.build();
  const { status, run, report, written } = await buildEffect(bench);
  expect([status, written, report.outcome]).toEqual([0, [], "unchanged"]);
  expect(run).toMatchObject({
    outcome: "unchanged",
    bytesWritten: 0,
    snapshotId: tenantRun(first.report, "acme").snapshotId,
    counts: { programs: 3, unchanged: 3, added: 0, changed: 0, removed: 0 },
    requests: { put: 0, delete: 0 },
  });
  const told = await bench.run(["snapshot", "build"]);
  expect(told.stdout).toMatch(/^Nothing changed, nothing written: 1 unchanged; 3 programs in \d+\.\d s\.$/m);
});

test("P3 a snapshot has a later generation than the one before, though the clock of that builder was ahead", async () => {
  await bench.build();
  const path = join(bench.storeDirectory, "tenants/acme/current.json");
  const ahead = (await bench.published("acme")).current.generation + 3_600_000;
  const pointer = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify({ ...pointer, generation: ahead }));
  await bench.source.update("name = 'New'", "c");
  await bench.build();
  expect((await bench.published("acme")).current.generation).toBe(ahead + 1);
});

describe("tenants that come and go", () => {
  test("P13 one that vanished from the source keeps its last snapshot, and the run names it", async () => {
    await bench.source.insert("tenants", { tenant_id: "beta" });
    await bench.build();
    const before = await bench.tree();
    await bench.source.query("DELETE FROM partner_source.tenants WHERE tenant_id = 'acme'");
    const { status, report } = await bench.build();
    expect(status).toBe(0);
    expect(changedKeys(before, await bench.tree())).toEqual([]);
    expect(report.tenants.map(({ tenantId }) => tenantId)).toEqual(["beta"]);
    expect(report.problems).toMatchObject([
      { severity: "warning", code: "programs_of_unknown_tenant", value: "acme: 4 program(s)" },
      { severity: "warning", code: "tenant_vanished", value: "acme" },
    ]);
    expect((await bench.published("acme")).list.meta.count).toBe(3);
  });

  describe("P13 most of the live ones vanish", () => {
    beforeEach(async () => {
      for (const tenant_id of ["beta", "gamma", "delta"]) {
        await bench.source.insert("tenants", { tenant_id });
        await bench.insertPrograms(tenant_id, "a");
      }
      await bench.build();
      await bench.source.query("DELETE FROM partner_source.tenants WHERE tenant_id <> 'acme'");
      await bench.source.update("lifecycle_state = 'ended'", "b");
      await bench.source.update("name = 'New'", "c");
    });

    test("and the run is refused: nothing but stated withdrawals is published", async () => {
      const dry = await bench.build(["--dry-run"]);
      expect([dry.status, dry.report.failure?.code]).toEqual([4, "vanished_guard"]);
      const { status, report } = await bench.build();
      expect([status, report.outcome, report.failure?.code]).toEqual([4, "failed", "vanished_guard"]);
      expect(report.failure?.message).toContain(
        "Of 4 live tenants, 3 are not in the source any more: beta, delta, gamma.",
      );
      expect(tenantRun(report, "acme")).toMatchObject({ outcome: "refused", counts: { withdrawn: 1 } });
      const { details } = await bench.published("acme");
      expect([...details.keys()].sort()).toEqual(["a", "c"]);
      expect(details.get("c")?.name).not.toBe("New");
    });

    test("and an operator who knows why overrides it, or names the tenants to build", async () => {
      expect((await bench.build(["--tenant", "acme"])).status).toBe(0);
      const { status, report } = await bench.build(["--allow-vanished"]);
      const vanished = report.problems.filter(({ code }) => code === "tenant_vanished");
      expect([status, vanished.length]).toEqual([0, 3]);
    });

    test("but not while the removed ones are gone on purpose, whose rows are nobody's mistake", async () => {
      for (const tenant of ["beta", "gamma"]) await bench.run(["tenant", "remove", tenant]);
      const { status, report } = await bench.build();
      expect([status, report.problems.map(({ code, value }) => [code, value])]).toEqual([
        0,
        [
          ["programs_of_unknown_tenant", "delta: 1 program(s)"],
          ["tenant_vanished", "delta"],
        ],
      ]);
    });

    test("P13 and one whose programs a new tenant has is named with it", async () => {
      await bench.source.query(
        "INSERT INTO partner_source.tenants VALUES ('beta'), ('delta'), ('new-gamma')",
      );
      await bench.source.query(
        "UPDATE partner_source.programs SET tenant_id = 'new-gamma' WHERE tenant_id = 'gamma'",
      );
      const { report } = await bench.build();
      expect(report.problems.map(({ code, value }) => [code, value])).toEqual([
        ["tenant_vanished", "gamma"],
        ["tenant_renamed", "gamma: new-gamma has its programs"],
      ]);
    });

    test("and half of them are not most", async () => {
      const others = ["epsilon", "zeta"];
      for (const tenant_id of others) {
        await bench.source.insert("tenants", { tenant_id });
        await bench.insertPrograms(tenant_id, "a");
      }
      await bench.build(others.flatMap((id) => ["--tenant", id]));
      const { status, report } = await bench.build();
      const vanished = report.problems.filter(({ code }) => code === "tenant_vanished");
      expect([status, vanished.length]).toEqual([0, 3]);
    });

    test("and a source that lists none at all fails the run", async () => {
      await bench.source.query("DELETE FROM partner_source.tenants");
      const { status, report } = await bench.build();
      expect([status, report.failure?.code]).toEqual([1, "source_contract"]);
      expect(report.failure?.message).toContain("gives no tenant");
    });
  });

  test("D40, P19 a tenant whose id is ill-formed is an error of the run; the others are published", async () => {
    await bench.source.insert(
      "tenants",
      { tenant_id: "../evil" },
      { tenant_id: "" },
      { tenant_id: "x".repeat(300) },
      { tenant_id: "esc\u001b[2J" },
    );
    const { report } = await bench.build();
    expect(tenantRun(report, "acme").outcome).toBe("published");
    expect(report.problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual(
      Array.from({ length: 4 }, () => "error tenant_id_invalid"),
    );
    expect(report.problems.map(({ value }) => value).join()).not.toContain("\u001b");
    expect(report.totals.errors).toBe(4);
  });

  test("D130 rows of tenants without an id are a warning, also beside one whose id is empty", async () => {
    await bench.source.insert("tenants", { tenant_id: null }, { tenant_id: null, name: "Nobody" });
    const alone = await bench.build();
    expect([alone.status, alone.report.problems]).toMatchObject([
      0,
      [{ severity: "warning", code: "tenant_id_null", value: "NULL: 2 rows" }],
    ]);
    await bench.source.insert("tenants", { tenant_id: "" });
    const { report } = await bench.build();
    expect(report.problems).toMatchObject([
      { severity: "error", code: "tenant_id_invalid", value: '""' },
      { severity: "warning", code: "tenant_id_null" },
    ]);
  });

  test("D130 programs without an id and with an empty one are told apart, on paper and for programs", async () => {
    await bench.insertPrograms("acme", { program_id: null, name: "None" }, { program_id: "", name: "Empty" });
    await bench.insertRows("faq", "acme", "", { question: "Q", answer: "A" });
    const { status, report } = await bench.build();
    const run = tenantRun(report, "acme");
    expect([status, run.leftOut]).toEqual([3, ["", null]]);
    expect(run.problems.map(({ code, programId, value }) => [code, programId, value])).toEqual([
      ["program_id_invalid", "", ""],
      ["program_id_invalid", null, null],
    ]);
    const { stdout } = await bench.run(["snapshot", "build"]);
    expect(stdout).toContain('error program_id_invalid (2): acme / "" id = ""; acme / NULL id (');
    expect(stdout).toContain('2 programs left out; the rest is published: "", NULL');
  });

  test("D40 an ill-formed id is of no concern to a run that was asked for other tenants", async () => {
    await bench.source.insert("tenants", { tenant_id: "../evil" }, { tenant_id: null });
    const { status, report } = await bench.build(["--tenant", "acme"]);
    expect([status, report.problems]).toEqual([0, []]);
  });

  test("D40 a tenant that is listed twice is built once, with a warning", async () => {
    await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme again" });
    const { status, report } = await bench.build();
    expect(status).toBe(0);
    expect(report.tenants).toHaveLength(1);
    expect(report.problems).toMatchObject([{ code: "tenant_duplicate", value: "acme" }]);
  });
});

test("the run report is stored under runs/ for each run, as it was printed", async () => {
  const { report } = await bench.build();
  const stored = await readFile(join(bench.storeDirectory, `runs/${report.runId}.json`), "utf8");
  expect(parsedReport(stored)).toEqual(report);
  expect(stored).toBe(JSON.stringify(report));
  await bench.build();
  const reports = (await readdir(join(bench.storeDirectory, "runs"))).filter((name) => /^\d/.test(name));
  expect(reports).toHaveLength(2);
});
