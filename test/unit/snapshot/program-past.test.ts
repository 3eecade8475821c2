import { randomBytes } from "node:crypto";
import { appendFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { pruneTenant } from "../../../cli/change/snapshots/prune-tenant.ts";
import { release, rollback } from "../../../cli/change/snapshots/rollback.ts";
import { publishedSnapshot, readPointer } from "../../../cli/publish/snapshot/stored-snapshot.ts";
import {
  type ProgramPast,
  programPast,
  readProgramVersions,
  recordedPast,
} from "../../../cli/read/snapshots/program-past.ts";
import { parseTenantId, type SnapshotId } from "../../../core/ground/ids.ts";
import { manifestKey, markKey } from "../../../core/ground/object-key.ts";
import { countingStore } from "../../../core/store/counting-store.ts";
import { buildCanned } from "../../support/canned-source.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";

/**
 * What is said of a program that a partner missed, after histories that the real commands leave in a store.
 */

const tenantId = parseTenantId("acme");
const { signal } = new AbortController();
const store = fileStoreForEachTest();
let minute: number;

beforeEach(async () => {
  minute = 0;
});

/** Some minutes after whatever was before. */
function now(): Date {
  minute += 1;
  return new Date(Date.UTC(2026, 10, 21, 8, minute));
}

const context = () => ({ store, now, randomBytes, signal });

async function build(...ids: readonly string[]): Promise<SnapshotId> {
  const programs = ids.map((programId) => ({ programId, name: programId }));
  const { outcome } = await buildCanned(store, tenantId, programs, { now });
  expect(outcome).toBe("published");
  return await liveSnapshot();
}

async function liveSnapshot(): Promise<SnapshotId> {
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer === undefined) throw new Error("nothing is live");
  return pointer.current.snapshotId;
}

async function rollBack(to?: SnapshotId): Promise<void> {
  await rollback(tenantId, { to, allowShrink: true }, context());
  await release(tenantId, context());
}

/** Of a request for program `P` that the snapshot was asked for at that time, by default what is live now. */
async function missed(snapshotId?: SnapshotId, at = now()): Promise<ProgramPast> {
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer === undefined) throw new Error("nothing is live");
  const versions = await readProgramVersions(store, pointer, "P", signal);
  const past = programPast(versions, { snapshotId: snapshotId ?? pointer.current.snapshotId, at });
  const live = await publishedSnapshot(store, tenantId, signal);
  const recorded = live && (await recordedPast(store, live, "P", signal));
  // A record knows of snapshots that are damaged or pruned, too.
  if (past.kind === "removed" && recorded && snapshotId === undefined) expect(recorded).toEqual(past);
  return past;
}

test("P48 what builds took out is recorded, at most 200 ids, and nothing is claimed of older ones", async () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `X${1000 + at}`);
  const first = await build("P", "Q", ...many(250));
  const second = await build("Q", ...many(250));
  const third = await build("Q", ...many(51));
  const recorded = async () => (await publishedSnapshot(store, tenantId, signal))?.manifest.removed;
  const ofThird = { snapshotId: third, before: second, programs: many(250).slice(51) };
  const ofSecond = { snapshotId: second, before: first, programs: ["P"] };
  expect(await recorded()).toEqual({ since: null, builds: [ofThird, ofSecond] });
  const fourth = await build("Q", ...many(50));
  const ofFourth = { snapshotId: fourth, before: third, programs: ["X1050"] };
  expect(await recorded()).toEqual({ since: second, builds: [ofFourth, ofThird] });
  await build("Q", ...many(250));
  expect(await recorded()).toEqual({ since: second, builds: [] });
});

test("P48 That a program was never published is found with one read of each kept snapshot", async () => {
  await build("Q");
  await build("Q", "R");
  const pointer = await readPointer(store, tenantId, signal);
  const counted = countingStore(store);
  const versions = pointer && (await readProgramVersions(counted, pointer, "P", signal));
  expect(versions?.versions.map(({ entry }) => entry)).toEqual([null]);
  expect(counted.requests()).toMatchObject({ get: 2, list: 1 });
});

test("P48 A rollback counts from when it happened, also in a store that was copied since", async () => {
  const first = await build("Q");
  const second = await build("P", "Q");
  await rollBack(first);
  const asked = now();
  const copied = new Date(asked.getTime() + 24 * 3_600_000);
  await utimes(join(store.directory, markKey(tenantId, second, "withdrawn")), copied, copied);
  const found = await missed(first, asked);
  expect(found).toMatchObject({ kind: "rolled_back", last: { snapshotId: second } });
  expect(found.kind === "rolled_back" && new Date(found.at) < asked).toBe(true);
});

test("P48 A build after a rollback took out what partners saw again since the rollback", async () => {
  const first = await build("P", "Q");
  await build("P", "Q", "R");
  await rollBack(first);
  const third = await build("Q");
  const removed = { last: { snapshotId: first }, by: { snapshotId: third } };
  expect(await missed()).toMatchObject({ kind: "removed", ...removed });
});

test("P48 A rollback took out what a build had taken out before, and another rollback had brought back", async () => {
  const first = await build("Q");
  const second = await build("P", "Q");
  await build("Q", "R");
  await rollBack(second);
  await rollBack(first);
  expect(await missed()).toMatchObject({ kind: "rolled_back", last: { snapshotId: second } });
});

test("P48 Nothing is said of what lies behind a damaged snapshot", async () => {
  await build("P", "Q");
  const second = await build("Q");
  await build("Q", "R");
  await appendFile(join(store.directory, manifestKey(tenantId, second)), "}");
  expect(await missed()).toEqual({ kind: "never", snapshotsExamined: 1, isCut: true });
});

test("P48 That no version ever had a program is said only where all versions are kept", async () => {
  const first = await build("Q");
  await build("Q", "R");
  expect(await missed()).toEqual({ kind: "never", snapshotsExamined: 2, isCut: false });
  await rollBack(first);
  expect(await missed()).toEqual({ kind: "never", snapshotsExamined: 2, isCut: false });
  await build("P", "Q");
  await rollBack(first);
  const later = (): Date => new Date(Date.now() + 365 * 24 * 3_600_000);
  await pruneTenant(tenantId, { keep: 1, minAgeMs: 0 }, { ...context(), now: later, dryRun: false });
  expect(await missed()).toEqual({ kind: "never", snapshotsExamined: 1, isCut: true });
});

test("P48 A later build took out what an earlier rollback had taken back before", async () => {
  const first = await build("Q");
  const second = await build("P", "Q");
  await rollBack(first);
  const between = now();
  const third = await build("P", "Q", "R");
  const fourth = await build("Q", "R");
  await rollBack(first);
  const removed = { last: { snapshotId: third }, by: { snapshotId: fourth } };
  expect(await missed(first)).toMatchObject({ kind: "removed", ...removed });
  expect(await missed(first, between)).toMatchObject({ kind: "rolled_back", last: { snapshotId: second } });
});

test("P48 A snapshot from before the first one with a program lacked it because it came later", async () => {
  const first = await build("Q");
  const second = await build("P", "Q");
  await build("P", "Q", "R");
  expect(await missed(first)).toMatchObject({ kind: "came_later", first: { snapshotId: second } });
  expect(await missed("20200101T000000Z-00000000" as SnapshotId)).toEqual({ kind: "not_kept" });
});
