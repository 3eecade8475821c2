import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFileStore } from "../../../core/file-store/file-store.ts";
import { publishedSnapshot } from "../../support/published-snapshot.ts";
import { openWorkbench, type Workbench } from "../../support/workbench.ts";

const tenants = ["acme", "beta", "gamma"];
let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench();
});

afterAll(async () => {
  await bench.close();
});

beforeEach(async () => {
  await bench.reset();
  for (const tenantId of tenants) {
    await bench.source.insert("tenants", { tenant_id: tenantId });
    await bench.insertPrograms(tenantId, "a", "b");
  }
});

describe("builds at the same time", () => {
  test("into one store leave every tenant published once, and both are done", async () => {
    const [one, other] = await Promise.all([bench.build(), bench.build()]);
    expect([one.status, other.status]).toEqual([0, 0]);
    const published = [...one.report.tenants, ...other.report.tenants].filter(
      ({ outcome }) => outcome === "published",
    );
    expect(published.map(({ tenantId }) => tenantId).sort()).toEqual(tenants);
    for (const tenantId of tenants) {
      const { manifest, list } = await bench.published(tenantId);
      expect([manifest.parent, list.meta.count]).toEqual([null, 2]);
    }
  });

  test("from one source into two stores fill both: what one published is missing in the other", async () => {
    const directory = await mkdtemp(join(tmpdir(), "other-store-"));
    try {
      const env = { STORE_URL: `file:${directory}` };
      const results = await Promise.all([bench.build(), bench.build([], { env })]);
      for (const { status, report } of results) {
        expect(status).toBe(0);
        expect(report.tenants.map(({ outcome }) => outcome)).toEqual(tenants.map(() => "published"));
      }
      const other = createFileStore({ directory });
      for (const tenantId of tenants)
        expect((await publishedSnapshot(other, tenantId)).list.meta.count).toBe(2);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test("see each a consistent source: whichever wins, all programs are of one moment", async () => {
    await bench.source.query(`
      INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
      SELECT 'acme', 'p' || n, 'Tour', 'active', 0 FROM generate_series(1, 600) AS n`);
    const update = (version: number): Promise<void> =>
      bench.source.query(`
        BEGIN;
        UPDATE partner_source.programs SET capacity_total = ${version};
        DELETE FROM partner_source.room_prices;
        INSERT INTO partner_source.room_prices SELECT tenant_id, program_id, 1, ${version}
          FROM partner_source.programs WHERE tenant_id = 'acme';
        COMMIT`);
    const build = async (): Promise<void> => {
      expect((await bench.build(["--tenant", "acme"])).status).toBe(0);
      const { details, list } = await bench.published("acme");
      const [one] = details.values();
      const version = one?.capacity.total ?? 0;
      for (const { capacity, prices } of [...details.values(), ...list.data]) {
        expect([capacity.total, prices.startingAmount]).toEqual([version, version]);
      }
    };
    await update(1);
    const updating = (async () => {
      for (let version = 2; version <= 20; version += 1) await update(version);
    })();
    for (let round = 0; round < 4; round += 1) await build();
    await updating;
    await build();
  });
});
