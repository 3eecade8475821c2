import { spawnSync } from "node:child_process";
import { appendFile, chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createFollowLive } from "../../../cli/publish/snapshot/live-tree.ts";
import { readPublishedPointer } from "../../../cli/publish/snapshot/stored-snapshot.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { temporaryName } from "../../../core/store/file-store/stored-file.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { beginTestStore } from "../../support/begun-store.ts";
import { forAllTests } from "../../support/lasting.ts";
import {
  fileBench,
  type LiveTreeBench,
  livePath,
  s3Bench,
  watchedStore,
} from "../../support/live-tree-bench.ts";
import { quietShell } from "../../support/quiet-shell.ts";
import { startS3Server } from "../../support/s3-server.ts";
import { objectKey, toolsTenant } from "../../support/store-tools.ts";
import { openWorkbench, type Workbench } from "../../support/workbench.ts";

const kyoto = { programId: "KYOTO-1", name: "Temples" };
const nara = { programId: "NARA-2", name: "Deer" };
const osaka = { programId: "OSAKA-3", name: "Food" };
const whole = [
  "README.txt",
  "api/v1/partner/programs.json",
  "v1/programs.json",
  "v1/programs/KYOTO-1.json",
  "v1/programs/NARA-2.json",
];
const tenant = ["--tenant", toolsTenant];
const kept = { mayExist: true, warning: "" };
const removed = { mayExist: false, warning: "" };
const failed = { mayExist: true, warning: expect.stringContaining("the next build mends it") };

const server = forAllTests(startS3Server);
withAwsEnvironment(() => server.env);
beforeEach(() => server.reset());

async function folderBench(): Promise<LiveTreeBench> {
  const directory = await mkdtemp(join(tmpdir(), "live-tree-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return fileBench(directory);
}

/** The store, on which the call of that number fails and every later one, too: as a kill leaves it. */
function dyingAfter(calls: number): (store: ObjectStore) => ObjectStore {
  let left = calls;
  const alive = (): void => {
    left -= 1;
    if (left < 0) throw new Error("killed");
  };
  return (store) => watchedStore(store, alive);
}

describe.each([
  { where: "in a folder", open: folderBench },
  { where: "in a bucket", open: async () => s3Bench(server) },
])("the tree for people $where", ({ open }) => {
  test("P27 follows each publication: first build, change, a new program, a program that is gone", async () => {
    const bench = await open();
    expect(await bench.build([kyoto, nara])).toEqual(kept);
    expect(await bench.names()).toEqual(whole);
    expect(await bench.faults()).toEqual([]);
    expect(await bench.build([{ ...kyoto, name: "Shrines" }, nara, osaka])).toEqual(kept);
    expect(await bench.text("v1/programs/KYOTO-1.json")).toContain("Shrines");
    expect(await bench.faults()).toEqual([]);
    expect(await bench.build([nara])).toEqual(kept);
    expect(await bench.names()).toEqual(whole.filter((name) => !name.includes("KYOTO")));
    expect(await bench.faults()).toEqual([]);
  });

  test("P27 a kill at any call leaves a tree that the next build finds and mends", async () => {
    const bench = await open();
    await bench.build([kyoto, nara]);
    const counted = { calls: 0 };
    const counting = (store: ObjectStore): ObjectStore => watchedStore(store, () => (counted.calls += 1));
    await bench.build([{ ...kyoto, name: "0" }, osaka], { through: counting });
    expect(counted.calls).toBeGreaterThan(6);
    for (let calls = 0; calls < counted.calls; calls += 1) {
      const next = [{ ...kyoto, name: `after ${calls}` }, ...(calls % 2 === 0 ? [nara] : [osaka])];
      expect(await bench.build(next, { through: dyingAfter(calls) })).toEqual(failed);
      // Found by a build that has nothing to publish.
      expect(await bench.build(next)).toEqual(kept);
      expect(await bench.faults()).toEqual([]);
    }
  });

  test("P27 a rewrite mends what was damaged, put there or deleted", async () => {
    const bench = await open();
    await bench.build([kyoto, nara]);
    await bench.store.put(objectKey(`${livePath}v1/programs.json`), bytesBody(Buffer.from("edited")));
    await bench.store.put(objectKey(`${livePath}v1/programs/OLD-9.json`), bytesBody(Buffer.from("{}")));
    await bench.store.delete([objectKey(`${livePath}v1/programs/NARA-2.json`)]);
    expect([await bench.build([kyoto, nara], { rewrite: true }), await bench.faults()]).toEqual([kept, []]);
  });

  test.each(["", "not a marker", "deleted"])(
    "P27 without a marker to rely on (%j) everything is written anew, also when nothing is to be published",
    async (text) => {
      const bench = await open();
      await bench.build([kyoto, nara]);
      const key = objectKey(`${livePath}README.txt`);
      if (text === "deleted") await bench.store.delete([key]);
      else await bench.store.put(key, bytesBody(Buffer.from(text)));
      await bench.store.put(objectKey(`${livePath}v1/programs.json`), bytesBody(Buffer.from("edited")));
      expect([await bench.build([kyoto, nara]), await bench.faults()]).toEqual([kept, []]);
    },
  );

  test("P27 a rollback is followed at once, a held build and a release change nothing, a prune spares the tree", async () => {
    const bench = await open();
    await beginTestStore(bench.store);
    await bench.build([kyoto]);
    await bench.build([{ ...kyoto, name: "Shrines" }, nara]);
    expect(await bench.run(["snapshot", "rollback", ...tenant])).toMatchObject({ status: 0, stderr: "" });
    expect(await bench.faults()).toEqual([]);
    expect(await bench.text("v1/programs/KYOTO-1.json")).toContain("Temples");
    expect(await bench.build([{ ...kyoto, name: "Gardens" }])).toEqual(kept);
    expect(await bench.run(["snapshot", "release", ...tenant])).toMatchObject({ status: 0, stderr: "" });
    expect(await bench.faults()).toEqual([]);
    const pruned = await bench.run(["snapshot", "prune", "--keep", "1", "--min-age", "0", "--json"]);
    expect([pruned.status, JSON.parse(pruned.stdout).tenants[0].outcome]).toEqual([0, "pruned"]);
    expect(await bench.faults()).toEqual([]);
    expect(await bench.build([{ ...kyoto, name: "Gardens" }])).toEqual(kept);
    expect(await bench.faults()).toEqual([]);
    const listed = await bench.run(["snapshot", "list", ...tenant, "--json"]);
    expect([listed.status, listed.stderr]).toEqual([0, ""]);
  });

  test("P27 switched off, it is removed by the next build; switched on, it is there again", async () => {
    const bench = await open();
    await bench.build([kyoto, nara]);
    expect(await bench.build([kyoto, nara], { isOn: false, mayExist: false })).toEqual(removed);
    expect(await bench.names()).toEqual(whole);
    expect(await bench.build([kyoto, nara], { isOn: false })).toEqual(removed);
    expect(await bench.names()).toEqual([]);
    expect(await bench.build([kyoto, nara], { isOn: false })).toEqual(removed);
    expect(await bench.build([kyoto, nara])).toEqual(kept);
    expect(await bench.faults()).toEqual([]);
  });

  test("P27 a removal that is killed at any call is ended by the next build, on or off", async () => {
    const bench = await open();
    for (const isOn of [true, false]) {
      for (let calls = 0; calls < 2; calls += 1) {
        await bench.build([kyoto, nara]);
        const through = dyingAfter(calls);
        expect(await bench.build([kyoto, nara], { isOn: false, through })).toEqual(failed);
        await bench.build([kyoto, nara], { isOn });
        if (isOn) expect(await bench.faults()).toEqual([]);
        else expect(await bench.names()).toEqual([]);
      }
    }
  });

  test("P27 a builder whose snapshot is live through a later one leaves the tree to the later one's", async () => {
    const bench = await open();
    await bench.build([kyoto]);
    const older = await readPublishedPointer(
      bench.store,
      parseTenantId(toolsTenant),
      new AbortController().signal,
    );
    await bench.build([kyoto, nara]);
    await createFollowLive(quietShell(), { liveCopy: true })(bench.store, older.current);
    expect(await bench.faults()).toEqual([]);
  });

  test("P27 a slower builder does not leave an older tree behind a newer marker", async () => {
    const bench = await open();
    await bench.build([{ ...kyoto, name: "first" }, nara]);
    let isOvertaken = false;
    // While the tree of "second" is written, "third" is published and its tree is written.
    const outcome = await bench.build([{ ...kyoto, name: "second" }], {
      through: (store) => ({
        ...store,
        copy: async (from, to, options) => {
          if (!isOvertaken) {
            isOvertaken = true;
            await bench.build([{ ...kyoto, name: "third" }, osaka]);
          }
          return await store.copy(from, to, options);
        },
      }),
    });
    expect(outcome).toEqual(kept);
    // The tree says that it cannot be relied on, and the next build mends it.
    expect(await bench.faults()).toContain("README.txt");
    expect(await bench.build([{ ...kyoto, name: "third" }, osaka])).toEqual(kept);
    expect(await bench.text("v1/programs/KYOTO-1.json")).toContain("third");
    expect(await bench.faults()).toEqual([]);
  });
});

describe("the files of the tree for people in a folder", () => {
  let directory: string;
  let bench: LiveTreeBench;
  const live = (name: string): string => join(directory, livePath, name);
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "live-tree-"));
    bench = fileBench(directory);
    await bench.build([kyoto, nara]);
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test("P27 they are the snapshot's by a second name, read-only; a forced change is damage of the snapshot", async () => {
    for (const name of ["v1/programs.json", "v1/programs/KYOTO-1.json", "api/v1/partner/programs.json"]) {
      const { nlink, mode } = await stat(live(name));
      expect([nlink, (mode & 0o777).toString(8)]).toEqual([2, "440"]);
    }
    expect((await stat(live("README.txt"))).nlink).toBe(1);
    await chmod(live("v1/programs/KYOTO-1.json"), 0o640);
    await appendFile(live("v1/programs/KYOTO-1.json"), "edited");
    const verified = await bench.run(["snapshot", "verify", "--json"]);
    const codes = JSON.parse(verified.stdout).tenants[0].findings.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(["object_damaged"]);
    expect((await bench.run(["snapshot", "verify"])).stdout).toContain("--rewrite");
    await bench.build([kyoto, nara], { rewrite: true });
    expect([await bench.faults(), (await bench.run(["snapshot", "verify"])).status]).toEqual([[], 0]);
  });

  test("P174 what a killed build left in the tree goes with the next one, and what it left elsewhere with a prune", async () => {
    const dead = spawnSync("true").pid;
    const leftovers = ["live/v1/programs", "snapshots/20200101T000000Z-00000000/v1/programs"].map((folder) =>
      join(
        directory,
        "tenants/sakura-trails",
        folder,
        temporaryName().replace(`-${process.pid}-`, `-${dead}-`),
      ),
    );
    const own = live(temporaryName());
    for (const path of [...leftovers, own]) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, "cut");
    }
    expect(await bench.build([kyoto])).toEqual({ mayExist: true, warning: "" });
    const left = async () =>
      (await readdir(directory, { recursive: true })).filter((name) => name.includes(".new-"));
    // A process that lives may still be at work.
    const spared = expect.stringContaining(basename(own));
    expect((await left()).sort()).toEqual([spared, expect.stringContaining("snapshots/")]);
    expect((await bench.run(["snapshot", "prune"])).status).toBe(0);
    expect(await left()).toEqual([spared]);
  });
});

describe("`snapshot build` and the tree for people", () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await openWorkbench();
  });
  beforeEach(async () => {
    await bench.reset();
    await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme" });
    await bench.insertPrograms("acme", "KYOTO-1", "NARA-2");
  });
  afterAll(() => bench.close());
  const live = (name: string): string => join(bench.storeDirectory, "tenants/acme/live", name);

  test("P27 a tree that cannot be kept is a line on standard error, and the tenant is published", async () => {
    await bench.build();
    await rm(live("v1/programs.json"));
    await symlink("nowhere", live("v1/extra"));
    await bench.insertPrograms("acme", "OSAKA-3");
    await rm(live("README.txt"));
    const { status, report, stderr } = await bench.build([], { env: { LOG_LEVEL: "silent" } });
    expect([status, report.tenants[0]?.outcome]).toEqual([0, "published"]);
    expect(stderr).toMatch(/^partner-programs: warning: tenants\/acme\/live\/ .*extra is a symbolic link/);
    await rm(live("v1/extra"));
    expect((await bench.build([], { env: { LOG_LEVEL: "silent" } })).stderr).toBe("");
    expect((await bench.run(["snapshot", "verify"])).status).toBe(0);
  });
});
