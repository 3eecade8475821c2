import { beforeEach, describe, expect, test } from "vitest";
import { beginTestStore } from "../../support/begun-store.ts";
import { buildEffect } from "../../support/build-effect.ts";
import { tenantRun, useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();

beforeEach(async () => {
  await bench.reset();
  await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme Tours" });
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

  test("states in pointer and manifest what the documentation promises", async () => {
    const { report } = await bench.build([], { now: new Date("2026-11-21T07:08:09.123Z") });
    const { current, manifest } = await bench.published("acme");
    expect(current).toMatchObject({
      tenantId: "acme",
      publishedAt: "2026-11-21T07:08:09.123Z",
      hold: null,
    });
    expect(current.snapshotId).toMatch(/^20261121T070809Z-[0-9a-f]{8}$/);
    expect(manifest).toMatchObject({
      tenantId: "acme",
      parent: null,
      generatedAt: "2026-11-21T07:08:09.123Z",
    });
    expect(tenantRun(report, "acme").snapshotId).toBe(current.snapshotId);
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

describe("a change of one program", () => {
  beforeEach(async () => {
    await bench.build();
  });

  test.each([
    ["capacity", "capacity_total = 11", ["legacy", "list", "b"]],
    ["currency", "currency = 'EUR'", ["list", "b"]],
    ["description, which the list does not have,", "description = 'in the hills'", ["b"]],
  ])("in its %s writes the responses concerned, the manifest and the pointer", async (_, change, names) => {
    await bench.source.query(`UPDATE partner_source.programs SET ${change} WHERE program_id = 'b'`);
    const paths: Record<string, string> = {
      legacy: "api/v1/partner/programs.json",
      list: "v1/programs.json",
      b: "v1/programs/b.json",
    };
    const { status, run, written } = await buildEffect(bench);
    expect(status).toBe(0);
    expect(written).toEqual(
      [
        "tenants/acme/current.json",
        "tenants/acme/snapshots/<new>/manifest.json",
        ...names.map((name) => `tenants/acme/snapshots/<new>/${paths[name]}`),
      ].sort(),
    );
    expect(run).toMatchObject({
      outcome: "published",
      counts: { programs: 3, added: 0, changed: 1, removed: 0, unchanged: 2 },
    });
  });
});

describe("programs that come and go", () => {
  beforeEach(async () => {
    await bench.build();
  });

  test.each([
    ["deleted", "DELETE FROM partner_source.programs WHERE program_id = 'b'"],
    ["cancelled", "UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE program_id = 'b'"],
  ])(
    "a %s one is in no list and in no manifest any more; its file stays for older snapshots",
    async (_, sql) => {
      await bench.source.query(sql);
      const before = await bench.tree();
      const { run, written } = await buildEffect(bench);
      expect(run.counts).toMatchObject({ programs: 2, removed: 1, unchanged: 2, added: 0, changed: 0 });
      expect(written).toEqual([
        "tenants/acme/current.json",
        "tenants/acme/snapshots/<new>/api/v1/partner/programs.json",
        "tenants/acme/snapshots/<new>/manifest.json",
        "tenants/acme/snapshots/<new>/v1/programs.json",
      ]);
      const { manifest, list } = await bench.published("acme");
      expect(manifest.programs.has("b")).toBe(false);
      expect(list.data.map(({ id }) => id)).toEqual(["a", "c"]);
      const after = await bench.tree();
      expect([...before.keys()].filter((key) => !after.has(key))).toEqual([]);
    },
  );
});

describe("LEGACY_CAPACITY=total", () => {
  test("publishes the plain total, and writes only the legacy list, the manifest and the pointer", async () => {
    await bench.build();
    const { run, written } = await buildEffect(bench, { LEGACY_CAPACITY: "total" });
    expect(run).toMatchObject({ outcome: "published", counts: { changed: 0, unchanged: 3 } });
    expect(written).toEqual([
      "tenants/acme/current.json",
      "tenants/acme/snapshots/<new>/api/v1/partner/programs.json",
      "tenants/acme/snapshots/<new>/manifest.json",
    ]);
    expect((await bench.published("acme")).legacy.programs[0]).toEqual({ name: "Tour b", capacity: 10 });
  });
});
