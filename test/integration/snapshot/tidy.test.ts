import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { forEachTest } from "../../support/lasting.ts";
import { openStoreTools, toolsTenant } from "../../support/store-tools.ts";

const tools = forEachTest(openStoreTools);
const below = async (): Promise<string[]> => (await readdir(tools.directory, { recursive: true })).sort();

/** What a killed process and a killed purge left, long ago. */
async function plant(): Promise<void> {
  await mkdir(join(tools.directory, "tenants/gone/live"), { recursive: true });
  const path = join(tools.directory, `tenants/${toolsTenant}/.new-01ab`);
  await writeFile(path, "");
  await utimes(path, 1, 1);
}

test("P174 a prune removes what others left, a dry run does not, and neither begins a store for it", async () => {
  expect([(await tools.run(["snapshot", "prune"])).status, await below()]).toEqual([0, []]);
  await tools.publish("Kyoto");
  await tools.run(["snapshot", "prune"]);
  const before = await below();
  await plant();
  await tools.run(["snapshot", "prune", "--dry-run"]);
  expect(await below()).toHaveLength(before.length + 3);
  await tools.run(["snapshot", "prune"]);
  expect(await below()).toEqual(before);
});

test("P174 a purge leaves no folder of the tenant, whatever was left in it", async () => {
  await tools.publish("Kyoto");
  await plant();
  const purge = ["tenant", "remove", toolsTenant, "--purge", "--without-source"];
  expect((await tools.run(purge)).status).toBe(0);
  expect((await below()).filter((name) => name.includes(toolsTenant))).toEqual([]);
});
