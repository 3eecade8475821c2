import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { bytesBody } from "../../../core/object-body.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
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
import { startS3Server } from "../../support/s3-server.ts";
import { objectKey, toolsTenant } from "../../support/store-tools.ts";

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
    const counting = (store: ObjectStore): ObjectStore =>
      watchedStore(store, () => {
        counted.calls += 1;
      });
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
    expect(await bench.build([kyoto, nara], { rewrite: true })).toEqual(kept);
    expect(await bench.faults()).toEqual([]);
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
      expect(await bench.build([kyoto, nara])).toEqual(kept);
      expect(await bench.faults()).toEqual([]);
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
