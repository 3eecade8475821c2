import { beforeEach, describe, expect, test } from "vitest";
import { useWorkbench } from "../../support/workbench.ts";

const tenants = ["acme", "beta", "gamma"];
const bench = useWorkbench();

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
});
