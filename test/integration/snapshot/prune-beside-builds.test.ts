import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { pruneTenant } from "../../../cli/operate/snapshots/prune-tenant.ts";
import { parseTenantId, type SnapshotId } from "../../../core/ids.ts";
import { currentKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { beginTestStore } from "../../support/begun-store.ts";
import { forEachTest } from "../../support/lasting.ts";
import { openStoreTools, toolsTenant } from "../../support/store-tools.ts";

const tenantId = parseTenantId(toolsTenant);
const hourMs = 3600 * 1000;
const snapshotsOf = `tenants/${toolsTenant}/snapshots/`;
/** Two days from now, when everything that the test writes is old enough. */
const later = (): Date => new Date(Date.now() + 48 * hourMs);

const tools = forEachTest(openStoreTools);
beforeEach(async () => {
  await beginTestStore(tools.store);
});
async function folders(): Promise<ReadonlySet<string | undefined>> {
  const keys = await tools.keys(snapshotsOf);
  return new Set(keys.map((key) => key.slice(snapshotsOf.length).split("/")[0]));
}

test("P15 a prune beside a builder that publishes without a pause finishes and deletes, and what is live is whole", async () => {
  const unchanged = { programId: "NARA-2", name: "Deer" };
  const build = (name: string) => tools.build([{ programId: "KYOTO-1", name }, unchanged]);
  const before: string[] = [];
  for (let at = 0; at < 12; at += 1) before.push(String((await build(`Before ${at}`)).snapshotId));
  let isOver = false;
  const pruning = tools.run(["snapshot", "prune", "--keep", "2", "--json"], { now: later() }).finally(() => {
    isOver = true;
  });
  const meanwhile: string[] = [];
  while (!isOver) {
    const { outcome, snapshotId } = await build(`Meanwhile ${meanwhile.length}`);
    expect(outcome).toBe("published");
    meanwhile.push(String(snapshotId));
  }
  const { status, stdout } = await pruning;
  expect(status, stdout).toBe(0);
  const left = await folders();
  expect(left.has(meanwhile.at(-1))).toBe(true);
  expect(before.filter((id) => left.has(id)).length).toBeLessThanOrEqual(3);
  expect((await tools.run(["snapshot", "verify"])).status).toBe(0);
});

test("P15 however often the tenant is published between a prune's reading and its write, what is live stays whole", async () => {
  const before: SnapshotId[] = [];
  for (let at = 0; at < 4; at += 1) before.push(await tools.publish(`Before ${at}`));
  const published: string[] = [];
  const key = currentKey(tenantId);
  const store: ObjectStore = {
    ...tools.store,
    async put(to, body, options) {
      if (to === key && published.length < 10) published.push(await tools.publish(`${published.length}`));
      return await tools.store.put(to, body, options);
    },
  };
  const { signal } = new AbortController();
  const now = later();
  const context = { store, dryRun: false, now: () => now, randomBytes, signal };
  const result = await pruneTenant(tenantId, { keep: 1, minAgeMs: hourMs }, context);
  expect(result.outcome).toBe("pruned");
  expect(published).toHaveLength(10);
  expect(result.kept.slice(0, 10)).toEqual(published.reverse());
  const left = await folders();
  expect(published.filter((id) => !left.has(id))).toEqual([]);
  expect(left.has(before[0])).toBe(false);
  expect((await tools.run(["snapshot", "verify"])).status).toBe(0);
});
