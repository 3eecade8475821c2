import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { storedConfirmations } from "../../support/confirmed-document.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const first = new Date("2026-11-21T08:00:00.000Z");
const second = new Date("2026-11-21T09:00:00.000Z");
const third = new Date("2026-11-21T10:00:00.000Z");
const bench = freshWorkbench("acme", "beta");

beforeEach(async () => {
  await bench.insertPrograms("acme", "a1", "a2");
  await bench.insertPrograms("beta", "b1");
});

const confirmed = () => storedConfirmations(bench.store);
const spoil = () => bench.source.update("name = ' '", "a2");

describe("P23 runs/confirmed.json", () => {
  test("says of a published tenant which snapshot is what the source said, and when that was read", async () => {
    const { report } = await bench.build([], { now: first });
    const at = first.toISOString();
    for (const tenantId of ["acme", "beta"]) {
      const { snapshotId, confirmedAt } = tenantRun(report, tenantId);
      expect(confirmedAt).toBe(at);
      expect(await confirmed()).toMatchObject({
        [tenantId]: { snapshotId, confirmedAt: at, triedAt: at, outcome: "published" },
      });
    }
  });

  test("an unchanged tenant is confirmed anew, though nothing else is written", async () => {
    const { report } = await bench.build([], { now: first });
    const later = await bench.build([], { now: second });
    const at = second.toISOString();
    expect(tenantRun(later.report, "acme").confirmedAt).toBe(at);
    expect((await confirmed())?.acme).toEqual({
      snapshotId: tenantRun(report, "acme").snapshotId,
      confirmedAt: at,
      triedAt: at,
      outcome: "unchanged",
    });
  });

  test("a failed build keeps when the tenant was confirmed, and says that it was tried", async () => {
    const { report } = await bench.build([], { now: first });
    await spoil();
    const failed = await bench.build(["--on-invalid", "fail"], { now: second });
    expect(tenantRun(failed.report, "acme")).toMatchObject({ outcome: "failed", confirmedAt: null });
    expect((await confirmed())?.acme).toEqual({
      snapshotId: tenantRun(report, "acme").snapshotId,
      confirmedAt: first.toISOString(),
      triedAt: second.toISOString(),
      outcome: "failed",
    });
    expect((await confirmed())?.beta?.confirmedAt).toBe(second.toISOString());
  });

  test("a dry run confirms nothing, neither in its report nor in the store", async () => {
    await bench.build([], { now: first });
    const before = await confirmed();
    const { report } = await bench.build(["--dry-run"], { now: second });
    expect(tenantRun(report, "acme").confirmedAt).toBeNull();
    expect(await confirmed()).toEqual(before);
  });

  test("a tenant that left the source keeps its entry while the store has it, and no longer", async () => {
    await bench.build([], { now: first });
    const before = await confirmed();
    await bench.source.query("DELETE FROM partner_source.tenants WHERE tenant_id = 'beta'");
    await bench.build([], { now: second });
    expect((await confirmed())?.beta).toEqual(before?.beta);
    await rm(join(bench.storeDirectory, "tenants/beta"), { recursive: true });
    await bench.build(["--tenant", "acme"], { now: second });
    expect((await confirmed())?.beta).toEqual(before?.beta);
    await bench.build([], { now: third });
    expect(Object.keys((await confirmed()) ?? {})).toEqual(["acme"]);
  });
});

describe("P25 runs/confirmed.json", () => {
  test("of builders that race, each tenant's confirmation arrives, and none undoes a later one", async () => {
    // Eight: a write fails only because another one did not, so the last one needs its eighth attempt at
    // most.
    const tenants = Array.from({ length: 4 }, (_, at) => `t${at}`);
    for (const tenantId of tenants) {
      await bench.source.insert("tenants", { tenant_id: tenantId });
      await bench.insertPrograms(tenantId, "p");
    }
    const now = (minute: number): Date => new Date(Date.UTC(2026, 10, 21, 12, minute));
    const builds = tenants.flatMap((tenantId) =>
      [5, 3].map((minute) => bench.build(["--tenant", tenantId, "--rewrite"], { now: now(minute) })),
    );
    const results = await Promise.all(builds);
    expect(results.map(({ status, stderr }) => [status, stderr.includes("was not stored")])).toEqual(
      results.map(() => [0, false]),
    );
    const entries = await confirmed();
    for (const tenantId of tenants) {
      const readings = results
        .flatMap(({ report }) => report.tenants)
        .flatMap((run) => (run.tenantId === tenantId ? (run.confirmedAt ?? []) : []));
      expect(readings.length).toBeGreaterThan(0);
      expect(entries?.[tenantId]?.confirmedAt).toBe(readings.sort().at(-1));
    }
  });

  test.each([
    ["damaged", "{"],
    ["of another form", '{"format":"partner-programs/confirmed@1","tenants":{"acme":{}}}'],
    ["too large", " ".repeat(2_000_000)],
  ])("a document that is %s is begun anew", async (_, text) => {
    await bench.build([], { now: first });
    await writeFile(join(bench.storeDirectory, "runs/confirmed.json"), text);
    const { status } = await bench.build([], { now: second });
    expect(status).toBe(0);
    expect((await confirmed())?.acme?.confirmedAt).toBe(second.toISOString());
  });

  test("not being able to write it is told on standard error, and changes no exit status", async () => {
    await bench.build([], { now: first });
    const path = join(bench.storeDirectory, "runs/confirmed.json");
    await rm(path);
    // No object can lie where a link is.
    await symlink("/nowhere", path);
    const { status, stderr, report } = await bench.build([], { now: second });
    expect([status, report.outcome]).toEqual([0, "unchanged"]);
    expect(stderr).toMatch(/age .* not stored/);
  });

  test("after a rollback the snapshot counts as unconfirmed until a build confirms what is live", async () => {
    await bench.build([], { now: first });
    await bench.insertPrograms("acme", "a3");
    await bench.build([], { now: second });
    await bench.run(["snapshot", "rollback", "--tenant", "acme"], { now: third });
    const { stdout } = await bench.run(["snapshot", "status", "--tenant", "acme"], { now: third });
    expect(stdout).toContain("confirmed  not known");
    await bench.run(["snapshot", "release", "--tenant", "acme"], { now: third });
    await bench.build([], { now: third });
    const after = await bench.run(["snapshot", "status", "--tenant", "acme"], { now: third });
    expect(after.stdout).toContain("confirmed  just now (2026-11-21T10:00:00Z)");
  });
});
