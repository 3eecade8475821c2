import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  type ConfirmationWriter,
  createConfirmationWriter,
} from "../../../cli/publish/run/confirmation-writer.ts";
import { Failure } from "../../../core/failure.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { readLastRuns } from "../../../core/last-runs.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { storedConfirmations } from "../../support/confirmed-document.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { runReport } from "../../unit/schemas/stored-samples.ts";

type Put = ObjectStore["put"];

const store = fileStoreForEachTest();
let puts: number;
/** What happens to a put of the document; the real one is handed to it. */
let onPut: (put: () => ReturnType<Put>) => ReturnType<Put>;
let failures: Failure[];

beforeEach(async () => {
  [puts, failures, onPut] = [0, [], (put) => put()];
});

afterEach(async () => {
  vi.useRealTimers();
});

function writer(minIntervalMs?: number, signal = new AbortController().signal): ConfirmationWriter {
  const seen: ObjectStore = {
    ...store,
    put(...args) {
      puts += 1;
      return onPut(() => store.put(...args));
    },
  };
  return createConfirmationWriter(seen, {
    now: () => new Date(),
    minIntervalMs,
    signal,
    onFailure: (failure) => failures.push(failure),
  });
}

function run(tenantId: string, confirmedAt = new Date().toISOString()): TenantRun {
  const [sample] = runReport.tenants;
  return { ...(sample as unknown as TenantRun), tenantId, outcome: "unchanged", confirmedAt };
}

/** The report of a run of all tenants, or of a shard. */
function reportOf(shard: string | null, ...runs: readonly TenantRun[]): RunReport {
  const at = new Date().toISOString();
  const options = { ...runReport.options, tenants: null, shard };
  const ended = { startedAt: at, finishedAt: at, outcome: "unchanged", failure: null, problems: [] };
  return { ...(runReport as unknown as RunReport), ...ended, options, tenants: [...runs] } as RunReport;
}

const lastRuns = () => readLastRuns(store, new AbortController().signal);

const stored = async (): Promise<readonly string[]> => Object.keys((await storedConfirmations(store)) ?? {});
const unavailable = (): Failure => new Failure("store_unavailable", "The store was broken by the test.");

test("with one the first note is written at once, and what follows is gathered until it has passed", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const minIntervalMs = 500;
  const confirmations = writer(minIntervalMs);
  confirmations.note([run("a")]);
  vi.advanceTimersByTime(0);
  await expect.poll(stored).toEqual(["a"]);
  // With nothing noted it only waits for the write under way.
  await confirmations.flush();
  for (const tenantId of ["b", "c", "d"]) confirmations.note([run(tenantId)]);
  vi.advanceTimersByTime(minIntervalMs - 1);
  expect(puts).toBe(1);
  vi.advanceTimersByTime(1);
  await expect.poll(stored).toEqual(["a", "b", "c", "d"]);
  expect(puts).toBe(2);
  confirmations.note([run("e")]);
  await confirmations.flush();
  expect([puts, await stored()]).toEqual([3, ["a", "b", "c", "d", "e"]]);
  expect(failures).toEqual([]);
});

test("P25 a write whose answer was lost is found to be there, and not repeated", async () => {
  onPut = async (put) => {
    await put();
    throw unavailable();
  };
  const confirmations = writer();
  confirmations.note([run("a")]);
  await confirmations.flush();
  expect([puts, failures, await stored()]).toEqual([1, [], ["a"]]);
});

test("P25 a store that is away is told once for each write, and nothing is lost", async () => {
  onPut = async () => {
    throw unavailable();
  };
  const confirmations = writer();
  confirmations.note([run("a")]);
  await confirmations.flush();
  expect(failures.map(({ code }) => code)).toEqual(["store_unavailable"]);
  expect(puts).toBe(2);
  onPut = (put) => put();
  await confirmations.flush();
  expect(await stored()).toEqual(["a"]);
});

test("runs/last.json has the last run of each tenant and shard, whoever wrote first", async () => {
  const [one, other] = [writer(), writer()];
  const failed = { ...run("b"), outcome: "failed" as const, failure: { code: "internal", message: "No." } };
  one.noteReport(reportOf("1/2", run("a")));
  other.noteReport(reportOf("2/2", failed));
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
  const dry = reportOf(null, run("dry"));
  one.noteReport({ ...dry, options: { ...dry.options, dryRun: true } });
  one.noteReport(reportOf(null, run("a")));
  await one.flush();
  const after = await lastRuns();
  expect(after?.runsOfAll).toMatchObject([{ shard: null, tenants: ["a"] }]);
  // Neither source nor store has the other tenant any more.
  expect([...(after?.tenants.keys() ?? [])]).toEqual(["a"]);
});
