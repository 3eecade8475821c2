import { beforeEach, expect, test } from "vitest";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { createLogger } from "../../../core/process/logger.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { LiveSnapshots } from "../../../gateway/known/live-snapshots.ts";
import { type FaultyStore, faultyStore } from "../../support/gateway-faulty-store.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { folderForAllTests } from "../../support/lasting.ts";

const acme = parseTenantId("acme");
const directory = folderForAllTests();
let store: ObjectStore;
let seen: FaultyStore;
let snapshots: LiveSnapshots;
/** Time is an argument, so a test can let an hour pass. */
let nowMs: number;

beforeEach(async () => {
  store = createFileStore({ directory });
  seen = faultyStore(store);
  nowMs = 1_000_000;
  snapshots = new LiveSnapshots({
    logFields: () => ({}),
    store: seen,
    logger: createLogger({ level: "silent", program: "test", destination: { write: () => {} } }),
    clocks: { monotonicMs: () => nowMs, unixMs: () => nowMs },
    refreshMs: 1000,
    maxStaleMs: 60_000,
    callTimeoutMs: 60_000,
    headersOf: () => "",
  });
  await publishSnapshot(store, "acme", { programIds: ["p1"], generation: 5 });
});

test("near its end the interval is renewed ahead of time, so that nobody waits", async () => {
  const { manifest } = await snapshots.liveOf(acme);
  expect(manifest).not.toHaveProperty("removed");
  seen.forget();
  nowMs += 900;
  expect(snapshots.liveOf(acme)).not.toBeInstanceOf(Promise);
  await expect.poll(() => snapshots.ages()).toSatisfy(([tenant]) => tenant?.ageMs === 0);
  expect(seen.asked).toHaveLength(1);
  nowMs += 700;
  expect(snapshots.liveOf(acme)).not.toBeInstanceOf(Promise);
});

test("P3 a snapshot that nobody asks for is forgotten, but an older generation is never believed again", async () => {
  await snapshots.liveOf(acme);
  expect(snapshots.ages()).toHaveLength(1);
  nowMs += 60_001;
  snapshots.sweep();
  expect(snapshots.ages()).toEqual([]);
  await publishSnapshot(store, "acme", { programIds: ["p1"], generation: 4 });
  await expect(snapshots.liveOf(acme)).rejects.toThrow("went back from generation 5");
  await publishSnapshot(store, "acme", { programIds: ["p1"], generation: 6 });
  nowMs += 5000;
  expect((await snapshots.liveOf(acme)).generation).toBe(6);
});
