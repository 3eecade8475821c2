import { beforeEach, describe, expect, test } from "vitest";
import { beginTestStore } from "../../support/begun-store.ts";
import { buildEffect } from "../../support/build-effect.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

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
    expect(list.meta.count).toBe(3);
    expect(list.data.map(({ id }) => id)).toEqual(["b", "a", "c"]);
    expect(details.size).toBe(3);
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

describe("P7 an unchanged build", () => {
  test("writes nothing and says so", async () => {
    const first = await bench.build();
    const { status, run, report, written } = await buildEffect(bench);
    expect(status).toBe(0);
    expect(written).toEqual([]);
    expect(report.outcome).toBe("unchanged");
    expect(run).toMatchObject({
      outcome: "unchanged",
      bytesWritten: 0,
      snapshotId: tenantRun(first.report, "acme").snapshotId,
      counts: { programs: 3, unchanged: 3, added: 0, changed: 0, removed: 0 },
      requests: { put: 0, delete: 0 },
    });
    const told = await bench.run(["snapshot", "build"]);
    expect(told.stdout).toMatch(
      /^Nothing changed, nothing written: 1 unchanged; 3 programs in \d+\.\d s\.$/m,
    );
  });
});
