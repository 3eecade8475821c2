import { beforeEach, expect, test } from "vitest";
import { readPointer } from "../../../cli/publish/snapshot/stored-snapshot.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { currentKey } from "../../../core/ground/object-key.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { buildCanned, type CannedProgram } from "../../support/canned-source.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";

const acme = parseTenantId("acme");
const store = fileStoreForEachTest();
let clock: number;

beforeEach(() => {
  clock = Date.UTC(2027, 0, 1);
});

const now = (): Date => {
  clock += 1000;
  return new Date(clock);
};
const program = (name: string): CannedProgram => ({ programId: "p", name });

/** A build during each of whose readings another one publishes, with its own clock. */
async function overtakenBuild(nowOfOther: () => Date): Promise<TenantRun> {
  let others = 0;
  return await buildCanned(store, "acme", [program("Slow")], {
    now,
    onReading: async () => {
      others += 1;
      await buildCanned(store, "acme", [program(`Fast ${others}`)], { now: nowOfOther });
    },
  });
}

test("P8 a build that is overtaken again and again by newer readings ends as unchanged", async () => {
  await buildCanned(store, "acme", [program("First")], { now });
  const run = await overtakenBuild(now);
  const live = await readPointer(store, acme, new AbortController().signal);
  expect(run).toMatchObject({ outcome: "unchanged", confirmedAt: null, failure: null, livePrograms: 1 });
  expect(run.snapshotId).toBe(live?.current.snapshotId);
});

test("P8 it fails when what is live then was read before its own data", async () => {
  await buildCanned(store, "acme", [program("First")], { now });
  const run = await overtakenBuild(() => new Date(Date.UTC(2026, 0, 1)));
  expect(run).toMatchObject({ outcome: "failed", failure: { code: "superseded" } });
});

test("P91 a build that finds no pointer where it saw one publishes nothing", async () => {
  await buildCanned(store, "acme", [program("First")], { now });
  const onReading = () => store.delete([currentKey(acme)]);
  const run = await buildCanned(store, "acme", [program("Second")], { now, onReading });
  expect(run).toMatchObject({ outcome: "failed", failure: { code: "superseded" } });
  expect(await readPointer(store, acme, new AbortController().signal)).toBeUndefined();
});
