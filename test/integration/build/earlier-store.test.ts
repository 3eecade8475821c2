import { cp, mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { sha256Hex } from "../../../core/store/object-body.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

/*
 * A store as version 0.2 left it: the folder `earlier-store`, with the bodies that today's build makes, so
 * that a field that is new since then changes nothing. Of its manifests none says anything of ancestors, and
 * no mark of a rollback which snapshot took its place. The trees for people name the machine's boot, by which
 * a later build told whether it had been down.
 */

const live = "20261002T080000Z-0000000b";
const snapshots = [
  { folder: "tenants/acme/snapshots/20261001T080000Z-0000000a", name: "Older tour" },
  { folder: `tenants/acme/snapshots/${live}`, name: "Tour a" },
  { folder: "tenants/sandbox/snapshots/20261002T080000Z-0000000c", name: "Sandbox tour" },
];
const paths = ["v1/programs.json", "v1/programs/a.json", "api/v1/partner/programs.json"];
const bench = freshWorkbench("acme");

beforeEach(async () => {
  await bench.insertPrograms("acme", "a");
  await bench.build();
  const bodies = await Promise.all(paths.map((path) => read(`tenants/acme/live/${path}`)));
  await rm(bench.storeDirectory, { recursive: true });
  await cp(new URL("./earlier-store/", import.meta.url), bench.storeDirectory, { recursive: true });
  for (const { folder, name } of snapshots) {
    await writeBodies(
      folder,
      bodies.map((body) => body.replaceAll("Tour a", name)),
    );
  }
  // A process was killed long ago.
  for (const folder of ["live", `snapshots/${live}/v1`]) {
    await utimes(join(bench.storeDirectory, `tenants/acme/${folder}/.new-01ab`), 1, 1);
  }
});

const read = (key: string): Promise<string> => readFile(join(bench.storeDirectory, key), "utf8");

const sha256 = (text: string): string => sha256Hex(Buffer.from(text));

async function write(key: string, text: string): Promise<void> {
  const path = join(bench.storeDirectory, key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/**
 * Puts bodies into a snapshot's folder, their digests and sizes into its manifest, and the manifest's digest
 * into the pointer.
 */
async function writeBodies(folder: string, bodies: readonly string[]): Promise<void> {
  let manifest = await read(`${folder}/manifest.json`);
  const before = sha256(manifest);
  for (const [index, body] of bodies.entries()) {
    const key = `${folder}/${paths[index]}`;
    await write(key, body);
    const entry = `"key":"${key}","sha256":"${sha256(body)}","size":${Buffer.byteLength(body)}`;
    manifest = manifest.replace(new RegExp(`"key":"${key}","sha256":"\\w+","size":\\d+`), entry);
  }
  await write(`${folder}/manifest.json`, manifest);
  const pointerKey = `${folder.replace(/\/snapshots\/.*/, "")}/current.json`;
  await write(pointerKey, (await read(pointerKey)).replace(before, sha256(manifest)));
}

test("a build finds it unchanged, and its sandbox neither vanished nor touched; no tenant counts as removed that came back", async () => {
  const before = { pointer: await read("tenants/acme/current.json"), tree: await bench.tree() };
  const { status, report } = await bench.build();
  expect({ status, problems: report.problems }).toEqual({ status: 0, problems: [] });
  expect(report.tenants).toMatchObject([{ tenantId: "acme", outcome: "unchanged", generation: 3 }]);
  expect(await read("tenants/acme/current.json")).toBe(before.pointer);
  expect(await read("tenants/acme/source.json")).toContain("partner-programs/source@2");
  const [confirmed, last] = [await read("runs/confirmed.json"), await read("runs/last.json")];
  expect(JSON.parse(confirmed).tenants.acme).toMatchObject({ snapshotId: live, outcome: "unchanged" });
  expect(JSON.parse(last).tenants.acme).toMatchObject({ outcome: "unchanged" });
  expect((await bench.build()).report.tenants).toMatchObject([{ outcome: "unchanged" }]);
});

test("a change is published on top of it, with a later generation, and can be taken back", async () => {
  const args = ["snapshot", "explain", "--tenant", "acme", "--program", "b", "--json"];
  const { live: found } = JSON.parse((await bench.run(args)).stdout);
  expect(found.history).toMatchObject({ isServed: false, snapshotsExamined: 2, isCut: true });
  await bench.source.update("name = 'New tour'");
  const { status, report } = await bench.build();
  expect(status).toBe(0);
  const run = tenantRun(report, "acme");
  expect(run).toMatchObject({ outcome: "published", previousSnapshotId: live });
  expect(run.generation).toBeGreaterThan(9);
  const { manifest, list } = await bench.published("acme");
  expect([manifest.parent, manifest.ancestors]).toEqual([live, [live]]);
  expect(manifest.removed).toEqual({ since: live, builds: [] });
  expect(list.data.map(({ name }) => name)).toEqual(["New tour"]);
  expect(await read("tenants/acme/live/v1/programs/a.json")).toContain("New tour");
  expect(await read("tenants/acme/live/README.txt")).not.toContain("boot:");
  expect((await bench.run(["snapshot", "verify"])).status).toBe(0);
  expect((await bench.run(["snapshot", "rollback", "--tenant", "acme", "--reason", "x"])).status).toBe(0);
  expect((await bench.published("acme")).current).toMatchObject({ snapshotId: live });
});

test("its sandbox is published anew by `sandbox init`, and a removed tenant comes back with a later generation", async () => {
  expect((await bench.run(["sandbox", "init"])).status).toBe(0);
  expect((await bench.published("sandbox")).current.generation).toBeGreaterThan(9);
  await bench.source.insert("tenants", { tenant_id: "gone", name: "Gone" });
  await bench.insertPrograms("gone", "z");
  const { report } = await bench.build();
  expect(report.problems.map(({ code }) => code)).toEqual(["tenant_returned"]);
  expect(tenantRun(report, "gone").generation).toBeGreaterThan(9);
});
