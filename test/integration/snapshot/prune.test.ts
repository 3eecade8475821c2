import { randomBytes } from "node:crypto";
import { rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { pruneTenant } from "../../../cli/change/snapshots/prune-tenant.ts";
import { parseSnapshotId, parseTenantId, type SnapshotId } from "../../../core/ground/ids.ts";
import { currentKey, manifestKey, markKey, responseKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { beginTestStore } from "../../support/begun-store.ts";
import { forEachTest } from "../../support/lasting.ts";
import { objectKey, openStoreTools, toolsTenant } from "../../support/store-tools.ts";

const tenantId = parseTenantId(toolsTenant);
const hourMs = 3600 * 1000;
const snapshotsOf = `tenants/${toolsTenant}/snapshots/`;

const tools = forEachTest(openStoreTools);
beforeEach(async () => {
  await beginTestStore(tools.store);
});
/** A prune so many hours from now, so that everything is that old. */
const prune = (hoursLater: number, ...args: string[]) =>
  tools.run(["snapshot", "prune", ...args], { now: new Date(Date.now() + hoursLater * hourMs) });

const verify = () => tools.run(["snapshot", "verify"]);

async function folders(): Promise<string[]> {
  const found = new Set<string>();
  for (const key of await tools.keys(snapshotsOf))
    found.add(key.slice(snapshotsOf.length).split("/")[0] ?? "");
  return [...found].sort();
}

async function publish(count: number): Promise<SnapshotId[]> {
  const ids: SnapshotId[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await tools.publish(`Name ${at}`));
  return ids;
}

const json = (stdout: string) => JSON.parse(stdout);

test("10 snapshots are kept unless --keep says otherwise, by generation, the live one counted", async () => {
  const ids = await publish(13);
  const { status, stdout } = await prune(48, "--json");
  expect(status).toBe(0);
  const [tenant] = json(stdout).tenants;
  expect(tenant).toMatchObject({ tenantId: toolsTenant, outcome: "pruned", failure: null });
  expect([...tenant.kept].sort()).toEqual(ids.slice(3).sort());
  expect([...tenant.deletedSnapshots].sort()).toEqual(ids.slice(0, 3).sort());
  expect(await folders()).toEqual(ids.slice(3).sort());

  await prune(48, "--keep", "2");
  expect([await folders(), (await verify()).status]).toEqual([ids.slice(-2).sort(), 0]);
});

test("nothing that was written less than 24 hours ago is deleted, unless --min-age says otherwise", async () => {
  const ids = await publish(3);
  expect(json((await prune(23, "--keep", "1", "--json")).stdout).tenants[0].outcome).toBe("nothing-to-do");
  expect(await folders()).toEqual([...ids].sort());
  await prune(23, "--keep", "1", "--min-age", "22.5");
  expect(await folders()).toEqual(ids.slice(-1));
});

test("a snapshot that was live within the minimum age is kept for the readers that still use it, however old its files are", async () => {
  const [first, second] = await publish(2);
  for (const key of await tools.keys(`${snapshotsOf}${first}/`)) {
    const old = new Date(Date.now() - 1000 * hourMs);
    await utimes(join(tools.directory, key), old, old);
  }
  await prune(1, "--keep", "1");
  expect(await folders()).toEqual([first, second].sort());
  await prune(25, "--keep", "1");
  expect(await folders()).toEqual([second]);
});

test("P15 every object that a kept snapshot names stays, also in the folder of a deleted one", async () => {
  const unchanged = { programId: "NARA-2", name: "Deer" };
  const build = (name: string) => tools.build([{ programId: "KYOTO-1", name }, unchanged]);
  const first = String((await build("A")).snapshotId);
  await build("B");
  const third = String((await build("C")).snapshotId);

  await prune(48, "--keep", "1");
  expect(await folders()).toEqual([first, third].sort());
  expect(await tools.keys(`${snapshotsOf}${first}/`)).toEqual([
    `${snapshotsOf}${first}/v1/programs/NARA-2.json`,
  ]);
  expect((await verify()).status).toBe(0);

  const again = json((await prune(48, "--keep", "1", "--json")).stdout).tenants[0];
  expect(again).toMatchObject({ outcome: "nothing-to-do", deletedObjects: 0 });
  expect((await verify()).status).toBe(0);
});

test("leftovers of unfinished builds don't count as snapshots and go after the minimum age", async () => {
  const [first, second] = await publish(2);
  const killed = parseSnapshotId("20400101T000000Z-0000dead");
  await tools.store.put(responseKey(tenantId, killed, { kind: "list" }), bytesBody(Buffer.from("{}")));
  await prune(23, "--keep", "2");
  expect(await folders()).toEqual([first, second, killed].sort());
  await prune(25, "--keep", "2");
  expect(await folders()).toEqual([first, second].sort());
});

test("--dry-run says what it would delete, and changes nothing, not even the pointer", async () => {
  const ids = await publish(3);
  const before = await tools.keys();
  const pointer = await tools.current();
  const { status, stdout } = await prune(48, "--keep", "1", "--dry-run", "--json");
  expect(status).toBe(0);
  const report = json(stdout);
  expect(report).toMatchObject({ dryRun: true, keep: 1, minAgeHours: 24 });
  expect([...report.tenants[0].deletedSnapshots].sort()).toEqual(ids.slice(0, 2).sort());
  expect(await tools.keys()).toEqual(before);
  expect(await tools.current()).toEqual(pointer);

  const real = json((await prune(48, "--keep", "1", "--json")).stdout).tenants[0];
  const { deletedObjects, deletedBytes } = report.tenants[0];
  expect([real.deletedObjects, real.deletedBytes]).toEqual([deletedObjects, deletedBytes]);
  const again = json((await prune(48, "--keep", "1", "--json")).stdout).tenants[0];
  expect([again.deletedObjects, again.deletedBytes]).toEqual([0, 0]);
  // The first command that changes anything begins the audit log.
  const left = (await tools.keys()).filter((key) => !key.startsWith("audit/"));
  expect(before.length - left.length).toBe(deletedObjects);
});

test("P15 before anything is deleted the pointer is rewritten with a new nonce and nothing else, so that a builder that started earlier must lose", async () => {
  await publish(2);
  const before = await tools.current();
  await prune(48, "--keep", "1");
  const after = await tools.current();
  expect(after).toEqual({ ...before, nonce: expect.any(String) });
  expect(after.nonce).not.toBe(before.nonce);

  await prune(48, "--keep", "1");
  expect(await tools.current()).toEqual(after);
});

test("foreign objects are never touched, wherever they are", async () => {
  const [first = ""] = await publish(2);
  const foreign = [
    `${snapshotsOf}${first}/notes.json`,
    `${snapshotsOf}${first}/v1/programs/a/b.json`,
    `${snapshotsOf}readme.json`,
    `tenants/${toolsTenant}/notes.json`,
    "runs/readme.json",
    "probe/readme.json",
    "elsewhere/x.json",
  ].map(objectKey);
  for (const key of foreign) await tools.store.put(key, bytesBody(Buffer.from("mine")));
  await prune(24 * 365, "--keep", "1");
  for (const key of foreign) expect((await tools.read(key)).toString()).toBe("mine");
  expect(await tools.keys(`${snapshotsOf}${first}/`)).toEqual(foreign.slice(0, 2));
});

test("with a damaged manifest nothing of the tenant is deleted, and other tenants are pruned all the same", async () => {
  const ids = await publish(3);
  const key = manifestKey(tenantId, String(ids[1]) as SnapshotId);
  await tools.store.put(key, bytesBody(Buffer.from("{")));
  await tools.store.put(currentKey(parseTenantId("atlas")), bytesBody(Buffer.from("{}")));
  const before = await tools.keys(snapshotsOf);
  const { status, stdout } = await prune(48, "--keep", "1");
  expect(status).toBe(1);
  expect(stdout).toContain(key);
  expect(await tools.keys(snapshotsOf)).toEqual(before);
});

test("a prune that was killed after its marks and half of its deletions is finished by the next one", async () => {
  const [first, second, third] = await publish(3);
  for (const id of [first, second]) {
    if (id !== undefined)
      await tools.store.put(markKey(tenantId, id, "condemned"), bytesBody(Buffer.from("{}")));
  }
  await tools.store.delete([responseKey(tenantId, String(first) as SnapshotId, { kind: "list" })]);
  await prune(48);
  expect([await folders(), (await verify()).status]).toEqual([[third], 0]);
});

test("of the run reports the newest 100 stay, and those of the last 30 days", async () => {
  const run = (at: number): string => `runs/20260101T${String(100000 + at)}Z-00000000.json`;
  for (let at = 0; at < 120; at += 1) await tools.store.put(objectKey(run(at)), bytesBody(Buffer.from("{}")));
  const old = new Date(Date.now() - 31 * 24 * hourMs);
  for (let at = 0; at < 10; at += 1) await utimes(join(tools.directory, run(at)), old, old);
  await prune(0, "--tenant", toolsTenant);
  expect(await tools.keys("runs/")).toHaveLength(120);
  expect((await prune(0)).stdout).toContain("10 old run reports deleted.");
  expect(await tools.keys("runs/")).toEqual(Array.from({ length: 110 }, (_, at) => run(at + 10)));
  await prune(24 * 31);
  expect(await tools.keys("runs/")).toEqual(Array.from({ length: 100 }, (_, at) => run(at + 20)));
});

test("P85 a prune that fails behind its tenants is recorded with what it deleted", async () => {
  await publish(3);
  // What no prune can list.
  await rm(join(tools.directory, "runs"), { recursive: true, force: true });
  await symlink("runs", join(tools.directory, "runs"));
  expect((await prune(48, "--keep", "1")).status).toBe(1);
  expect(await folders()).toHaveLength(1);
  const { stdout } = await tools.run(["audit", "list", "--json"]);
  expect(json(stdout).records).toMatchObject([
    {
      outcome: "failed",
      command: "snapshot prune",
      changes: [{ kind: "deletion", tenantId: toolsTenant, deletedSnapshots: 2 }],
    },
  ]);
});

describe("P15 beside builds", () => {
  /** Two days from now, when everything that the test writes is old enough. */
  const later = (): Date => new Date(Date.now() + 48 * hourMs);

  test("P15 a prune beside a builder that publishes without a pause finishes and deletes, and what is live is whole", async () => {
    const unchanged = { programId: "NARA-2", name: "Deer" };
    const build = (name: string) => tools.build([{ programId: "KYOTO-1", name }, unchanged]);
    const before: string[] = [];
    for (let at = 0; at < 12; at += 1) before.push(String((await build(`Before ${at}`)).snapshotId));
    let isOver = false;
    const pruning = tools
      .run(["snapshot", "prune", "--keep", "2", "--json"], { now: later() })
      .finally(() => (isOver = true));
    const meanwhile: string[] = [];
    while (!isOver) {
      const { outcome, snapshotId } = await build(`Meanwhile ${meanwhile.length}`);
      expect(outcome).toBe("published");
      meanwhile.push(String(snapshotId));
    }
    const { status, stdout } = await pruning;
    expect(status, stdout).toBe(0);
    const left = new Set<string | undefined>(await folders());
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
    const left = new Set<string | undefined>(await folders());
    expect(published.filter((id) => !left.has(id))).toEqual([]);
    expect(left.has(before[0])).toBe(false);
    expect((await tools.run(["snapshot", "verify"])).status).toBe(0);
  });
});
