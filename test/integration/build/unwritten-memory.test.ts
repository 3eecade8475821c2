import { mkdir, rm, writeFile } from "node:fs/promises";
import { beforeEach, expect, test } from "vitest";
import { parseTenantId } from "../../../core/ids.ts";
import { sourceMemoryKey } from "../../../core/object-key.ts";
import { tenantRun, useWorkbench } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
const bench = useWorkbench();

beforeEach(async () => {
  await bench.reset();
  await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme Tours" });
  await bench.insertMany("acme", 12);
  await bench.build();
});

async function rename(): Promise<void> {
  await bench.source.query("UPDATE partner_source.programs SET name = 'New' WHERE program_id = 'p-1'");
}

test("a memory that cannot be written fails nothing, and is told", async () => {
  await rename();
  const path = `${bench.storeDirectory}/${sourceMemoryKey(acme)}`;
  await rm(path);
  await mkdir(path);
  await writeFile(`${path}/in-the-way`, "");
  const { status, report } = await bench.build();
  expect(status).toBe(0);
  expect(tenantRun(report, "acme")).toMatchObject({
    outcome: "published",
    problemCounts: { memory_unwritten: 1 },
  });
  expect((await bench.published("acme")).details.get("p-1")?.name).toBe("New");
});
