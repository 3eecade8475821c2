import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RunRecorder } from "../../../cli/publish/run/run-recorder.ts";
import { readLastRuns } from "../../../core/documents/last-runs.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { parseSnapshotId, parseTenantId } from "../../../core/ground/ids.ts";
import { confirmedKey, runKey, storeKey } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { beginTestStore } from "../../support/begun-store.ts";
import { storeConfirmations, storedConfirmations } from "../../support/confirmed-document.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { runReportOf, tenantRunOf } from "../../support/run-reports.ts";

type Put = ObjectStore["put"];

const store = fileStoreForEachTest();
let puts: number;
/** What happens to a put of the document; the real one is handed to it. */
let onPut: (put: () => ReturnType<Put>) => ReturnType<Put>;
let complaints: string[];
let clock = 0;

beforeEach(async () => {
  [puts, complaints, onPut] = [0, [], (put) => put()];
});

afterEach(async () => {
  vi.useRealTimers();
});

function recorder(minIntervalMs?: number, signal = new AbortController().signal): RunRecorder {
  const seen: ObjectStore = {
    ...store,
    put(key, ...args) {
      if (key !== confirmedKey) return store.put(key, ...args);
      puts += 1;
      return onPut(() => store.put(key, ...args));
    },
  };
  const stderr = { isTTY: false, write: (text: string) => complaints.push(text) };
  const shell = { now: () => new Date(), signal, stderr } as unknown as ConstructorParameters<
    typeof RunRecorder
  >[1];
  return new RunRecorder(seen, shell, minIntervalMs);
}

function run(tenantId: string, confirmedAt = new Date().toISOString()): TenantRun {
  return tenantRunOf(tenantId, { confirmedAt });
}

/** The report of a run of some tenants. */
function reportOf(...tenantIds: readonly string[]): RunReport {
  return reportOfRuns(tenantIds.map((tenantId) => run(tenantId)));
}

function reportOfRuns(runs: readonly TenantRun[]): RunReport {
  const report = roundOf(null, ...runs);
  return { ...report, options: { ...report.options, tenants: runs.map(({ tenantId }) => tenantId) } };
}

/** The report of a run of all tenants, or of a shard. */
function roundOf(shard: string | null, ...runs: readonly TenantRun[]): RunReport {
  // Each run is later than the one before.
  clock += 1;
  const at = new Date(Date.now() + clock).toISOString();
  return runReportOf(runs, { startedAt: at, finishedAt: at, options: { shard } });
}

/** Notes a run as a session does: each tenant as it ends, and then the whole. */
function noteWhole(recorded: RunRecorder, report: RunReport, isNews: boolean): void {
  const { runId, finishedAt: endedAt, options } = report;
  for (const run of options.dryRun ? [] : report.tenants) {
    recorded.noteTenant(run, { runId, endedAt, onInvalid: options.onInvalid });
  }
  recorded.note(report, isNews);
}

async function reportsStored(): Promise<number> {
  let found = 0;
  for await (const { key } of store.list("runs/")) if (/T\d+Z-/.test(key)) found += 1;
  return found;
}

const a = parseTenantId("a");
const lastRuns = () => readLastRuns(store, new AbortController().signal);

const stored = async (): Promise<readonly string[]> => Object.keys((await storedConfirmations(store)) ?? {});
const unavailable = (): Failure => new Failure("store_unavailable", "The store was broken by the test.");

test("P160 a report is stored when it says anything new; where there is no store, only a run that worked begins one", async () => {
  const failed = {
    ...reportOf("a"),
    failure: { code: "source_contract", message: "A view is missing." },
  } as const;
  for (const [isThere, report, isNews, expected] of [
    [false, failed, true, []],
    [true, reportOf("a"), false, ["a"]],
    [true, failed, true, ["a", "report"]],
    [false, reportOf("b"), true, ["a", "b", "report"]],
  ] as const) {
    if (isThere) await beginTestStore(store);
    else await store.delete([storeKey]);
    const recorded = recorder();
    noteWhole(recorded, report, isNews);
    await recorded.flush();
    const found = Array.from({ length: await reportsStored() }, () => "report");
    expect([...(await stored()), ...found]).toEqual(expected);
  }
});

test("P160 a report that is stored is not written again", async () => {
  await beginTestStore(store);
  const recorded = recorder();
  const runId = parseSnapshotId("20260101T000000Z-00000000");
  noteWhole(recorded, { ...reportOf("a"), runId }, true);
  await recorded.flush();
  await store.delete([runKey(runId)]);
  noteWhole(recorded, reportOf("b"), true);
  await recorded.flush();
  expect(await reportsStored()).toBe(1);
});

test("with one the first note is written at once, and what follows is gathered until it has passed", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const minIntervalMs = 500;
  const recorded = recorder(minIntervalMs);
  noteWhole(recorded, reportOf("a"), false);
  vi.advanceTimersByTime(0);
  await expect.poll(stored).toEqual(["a"]);
  // With nothing noted it only waits for the write under way.
  await recorded.flush();
  for (const tenantId of ["b", "c", "d"]) noteWhole(recorded, reportOf(tenantId), false);
  vi.advanceTimersByTime(minIntervalMs - 1);
  expect(puts).toBe(1);
  vi.advanceTimersByTime(1);
  await expect.poll(stored).toEqual(["a", "b", "c", "d"]);
  expect(puts).toBe(2);
  noteWhole(recorded, reportOf("e"), false);
  await recorded.flush();
  expect([puts, await stored()]).toEqual([3, ["a", "b", "c", "d", "e"]]);
  expect(complaints).toEqual([]);
});

test("P211 a tenant that has ended is recorded while its round goes on, and the round's end takes nothing back", async () => {
  await beginTestStore(store);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const recorded = recorder(500);
  const round = roundOf(null, run("a"));
  const of = { runId: round.runId, endedAt: new Date().toISOString(), onInvalid: round.options.onInvalid };
  recorded.noteTenant(tenantRunOf("a", { outcome: "failed" }), of);
  vi.advanceTimersByTime(499);
  expect(puts).toBe(0);
  vi.advanceTimersByTime(1);
  await expect.poll(async () => (await lastRuns())?.tenants.get(a)?.outcome).toBe("failed");
  // Somebody told of a change meanwhile.
  noteWhole(recorded, reportOf("a"), false);
  const underWay = [
    { tenantId: "slow", since: round.startedAt, isOverdue: true },
    { tenantId: "busy", since: round.startedAt, isOverdue: false },
  ];
  recorded.note({ ...round, underWay, finishedAt: new Date(Date.now() + 60_000).toISOString() }, false);
  await recorded.flush();
  const last = await lastRuns();
  expect(last?.tenants.get(a)?.outcome).toBe("unchanged");
  expect(last?.runsOfAll).toMatchObject([
    { tenants: ["a", "busy", "slow"], overdue: [{ tenantId: "slow", since: round.startedAt }] },
  ]);
});

test("P211 a round without a tenant whose build is under way leaves what is known of that tenant", async () => {
  const recorded = recorder();
  noteWhole(recorded, reportOf("slow", "gone"), false);
  await recorded.flush();
  const underWay = [{ tenantId: "slow", since: new Date().toISOString(), isOverdue: false }];
  noteWhole(recorded, { ...roundOf(null, run("a")), underWay }, false);
  await recorded.flush();
  expect(await stored()).toEqual(["a", "slow"]);
  expect([...((await lastRuns())?.tenants.keys() ?? [])].sort()).toEqual(["a", "slow"]);
});

test("P25 a write whose answer was lost is no failure", async () => {
  onPut = async (put) => {
    const result = await put();
    if (puts === 1) throw unavailable();
    return result;
  };
  const recorded = recorder();
  noteWhole(recorded, reportOf("a"), false);
  await recorded.flush();
  expect([complaints, await stored()]).toEqual([[], ["a"]]);
});

test("P25 what another builder wrote meanwhile is merged, not overwritten", async () => {
  const { snapshotId } = run("a");
  const theirs = { confirmedAt: new Date().toISOString(), snapshotId: parseSnapshotId(snapshotId ?? "") };
  onPut = async (put) => {
    if (puts === 1) await storeConfirmations(store, { theirs });
    return put();
  };
  const recorded = recorder();
  noteWhole(recorded, reportOf("ours"), false);
  await recorded.flush();
  expect([puts, complaints, await stored()]).toEqual([2, [], ["ours", "theirs"]]);
});

test("P25 a document that changes all the time is given up, told, and written with the next flush", async () => {
  onPut = async () => ({ kind: "refused" });
  const recorded = recorder();
  noteWhole(recorded, reportOf("a"), false);
  await recorded.flush();
  expect(puts).toBe(8);
  expect(complaints).toEqual([
    expect.stringContaining("runs/confirmed.json changed all the time; try again."),
  ]);
  onPut = (put) => put();
  noteWhole(recorded, reportOf("b"), false);
  await recorded.flush();
  expect(await stored()).toEqual(["a", "b"]);
});

test("P25 a store that is away is told once for each write, and nothing is lost", async () => {
  onPut = async () => {
    throw unavailable();
  };
  const recorded = recorder();
  noteWhole(recorded, reportOf("a"), false);
  await recorded.flush();
  expect([puts, complaints]).toEqual([2, [expect.stringContaining("broken by the test")]]);
  onPut = (put) => put();
  await recorded.flush();
  expect(await stored()).toEqual(["a"]);
});

test("P25 a failure that stays the same is told once, and again when it comes back", async () => {
  const recorded = recorder();
  for (const fails of [true, true, false, true]) {
    onPut = async (put) => {
      if (fails) throw unavailable();
      return put();
    };
    noteWhole(recorded, reportOf("a"), false);
    await recorded.flush();
    expect(recorded.isFailing()).toBe(fails);
  }
  expect(complaints).toHaveLength(2);
});

test("P194 one failed write loses nothing of a hundred tenants that are told meanwhile, and what is known goes before reports", async () => {
  const tenantIds = Array.from({ length: 100 }, (_, at) => `t-${String(at).padStart(3, "0")}`);
  const recorded = recorder();
  let rejectPut = (): void => {};
  onPut = () => new Promise((_resolve, reject) => (rejectPut = () => reject(unavailable())));
  noteWhole(recorded, reportOf("first"), true);
  const first = recorded.flush();
  await expect.poll(() => puts).toBe(1);
  for (const [at, tenantId] of tenantIds.entries()) {
    const runId = `20270201T031500Z-${String(at).padStart(8, "0")}`;
    noteWhole(recorded, { ...reportOf(tenantId), runId }, true);
  }
  rejectPut();
  await expect.poll(() => puts).toBe(2);
  rejectPut();
  await first;
  onPut = async (put) => {
    expect(await reportsStored()).toBe(0);
    return await put();
  };
  // However often it is asked, one write waits.
  await Promise.all([recorded.flush(), recorded.flush(), recorded.flush()]);
  expect([puts, await stored()]).toEqual([3, ["first", ...tenantIds]]);
  expect([...((await lastRuns())?.tenants.keys() ?? [])]).toEqual(["first", ...tenantIds]);
  expect(await reportsStored()).toBe(20);
});

test("P194 a document that its readers would refuse is not written: the stored one stays, and the other is renewed", async () => {
  const entry = {
    snapshotId: parseSnapshotId("20270201T031500Z-0a1b2c3d"),
    confirmedAt: new Date().toISOString(),
  };
  const many = Object.fromEntries(
    Array.from({ length: 60_000 }, (_, at) => [`tenant-${"x".repeat(50)}-${at}`, entry]),
  );
  await storeConfirmations(store, many);
  const etag = async () => Object(await store.get(confirmedKey)).etag as string;
  const before = await etag();
  const recorded = recorder();
  const fresh = Array.from({ length: 40_000 }, (_, at) => run(`new-${"y".repeat(50)}-${at}`));
  noteWhole(recorded, reportOfRuns(fresh), false);
  await recorded.flush();
  expect(complaints).toEqual([
    expect.stringContaining("runs/confirmed.json would be larger than 16777216 bytes"),
  ]);
  expect([recorded.isFailing(), await etag()]).toEqual([true, before]);
  expect((await lastRuns())?.tenants.size).toBe(40_000);
});

test("runs/last.json has the last run of each tenant and shard, whoever wrote first", async () => {
  const [one, other] = [recorder(), recorder()];
  const failure = { code: "internal", message: "No." };
  const failed = tenantRunOf("b", { outcome: "failed", failure, leftOut: ["lisbon douro"] });
  noteWhole(one, roundOf("1/2", run("a")), false);
  noteWhole(other, roundOf("2/2", failed), false);
  await Promise.all([one.flush(), other.flush()]);
  const found = await lastRuns();
  expect(found?.runsOfAll).toMatchObject([
    { shard: "1/2", tenants: ["a"] },
    { shard: "2/2", tenants: ["b"] },
  ]);
  expect(found?.tenants.get(parseTenantId("b"))).toMatchObject({
    outcome: "failed",
    failure: { message: "No." },
    leftOut: ["lisbon douro"],
    leftOutCount: 1,
  });
  const dry = roundOf(null, run("dry"));
  noteWhole(one, { ...dry, options: { ...dry.options, dryRun: true } }, false);
  noteWhole(one, roundOf(null, run("a")), false);
  await one.flush();
  const after = await lastRuns();
  expect(after?.runsOfAll).toMatchObject([{ shard: null, tenants: ["a"] }]);
  // Neither source nor store has the other tenant any more.
  expect([...(after?.tenants.keys() ?? [])]).toEqual(["a"]);
});

test("P144 programs of another tenant are remembered until a build takes them away", async () => {
  const found = run("a");
  const shared = { ...found, problemCounts: { programs_shared: 1 } };
  const lessened = { ...found, outcome: "published" as const, counts: { ...found.counts, removed: 5 } };
  const counted: (number | undefined)[] = [];
  for (const each of [shared, found, { ...found, outcome: "failed" as const }, lessened, found]) {
    const recorded = recorder();
    noteWhole(recorded, roundOf(null, each), false);
    await recorded.flush();
    counted.push((await lastRuns())?.tenants.get(parseTenantId("a"))?.problemCounts.programs_shared);
  }
  expect(counted).toEqual([1, 1, 1, undefined, undefined]);
});
