import { asFailure } from "../../../core/failure.ts";
import { parseSnapshotId } from "../../../core/ids.ts";
import { bytesBody, documentBytes } from "../../../core/object-body.ts";
import { runKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readStoreIdentity } from "../../../core/open-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { Shell } from "../../shell/shell.ts";
import {
  copyOf,
  forgetWritten,
  latestTime,
  noteRun,
  noteTenant,
  nothingNoted,
  type RunOfTenant,
  writeConfirmations,
  writeLastRuns,
} from "./run-documents.ts";

/** Keeps reports, `runs/confirmed.json` and `runs/last.json`, for the runs of one process. */
export interface RunRecorder {
  /** Notes a tenant whose build has ended, in a run that may go on for long. Returns at once. */
  noteTenant(run: TenantRun, of: RunOfTenant): void;
  /** Notes a run that has ended, and of which no tenant is noted any more. `isNews`: its report is stored for support, too. Returns at once. */
  note(report: RunReport, isNews: boolean): void;
  /** Writes at once what was noted and is not written yet. Never rejects. */
  flush(): Promise<void>;
  /** Whether the last write failed, or a part of it. */
  isFailing(): boolean;
}

/**
 * `minIntervalMs`: the least time between two writes; `undefined`: only `flush` writes. P25: a failure to write changes no exit status.
 * It is a line on standard error, unless the write before failed in the same way, and the next write tries again.
 *
 * P194: however long the store is away, nothing that is known of a tenant is lost; only reports are, the older ones first.
 */
export function createRunRecorder(
  store: ObjectStore,
  { now, signal, stderr }: Pick<Shell, "now" | "signal" | "stderr">,
  minIntervalMs?: number,
): RunRecorder {
  // After an interruption there are a few seconds to say what was published before.
  const ended = new AbortController();
  const end = (): void => ended.abort();
  signal.addEventListener("abort", () => setTimeout(end, interruptedGraceMs).unref(), { once: true });
  const noted = nothingNoted();
  let news: readonly RunReport[] = [];
  let isPending = false;
  /** P160: a run that came to nothing begins no store. One whose tenants failed does: support asks why they did. */
  let hasWorked = false;
  let writing = Promise.resolve();
  let waiting: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let timerAtMs = Number.POSITIVE_INFINITY;
  let beganAtMs = Number.NEGATIVE_INFINITY;
  /** What was said of the last write, unless it was done. */
  let complaint: string | undefined;

  async function write(): Promise<void> {
    waiting = undefined;
    if (!isPending) return;
    isPending = false;
    beganAtMs = performance.now();
    const failed = await writeAll().catch((error: unknown) => asFailure(error).message);
    isPending ||= failed !== undefined;
    if (failed !== undefined && failed !== complaint) {
      const what = "the run's report and the age of the data were not stored";
      stderr.write(`partner-programs: ${what}: ${failed}\n`);
    }
    complaint = failed;
  }

  /** Returns why a document could not be written that the store has no part in. Throws when the store does not take them. */
  async function writeAll(): Promise<string | undefined> {
    if (!hasWorked && (await readStoreIdentity(store, { signal: ended.signal })) === undefined) {
      news = [];
      return undefined;
    }
    const written = copyOf(noted);
    const latest = latestTime(now());
    let failed: string | undefined;
    // Partners see how old the data is, so that goes first.
    for (const writeDocument of [writeConfirmations, writeLastRuns]) {
      await writeDocument(store, written, latest, ended.signal).catch((error: unknown) => {
        if (asFailure(error).code !== "unrecorded") throw error;
        // P194: that the one document is full keeps nothing else from being written.
        failed ??= asFailure(error).message;
      });
    }
    forgetWritten(noted, written);
    for (const report of news) {
      const body = bytesBody(documentBytes(report));
      await store.put(runKey(parseSnapshotId(report.runId)), body, { signal: ended.signal });
      news = news.filter((each) => each !== report);
    }
    return failed;
  }

  /** Writes when the write under way is done: two at a time would only fail each other's conditions. One write waits at most. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timerAtMs = Number.POSITIVE_INFINITY;
    if (waiting === undefined) {
      waiting = writing.then(write);
      writing = waiting;
    }
    return waiting;
  }

  /** Writes in `ms`, unless a write is due sooner. */
  function writeIn(ms: number): void {
    isPending = true;
    const atMs = performance.now() + ms;
    if (minIntervalMs === undefined || atMs >= timerAtMs) return;
    clearTimeout(timer);
    timerAtMs = atMs;
    timer = setTimeout(flush, ms);
  }

  return {
    noteTenant(run, of) {
      noteTenant(noted, run, of, latestTime(now()));
      // Where the run ends sooner, one write has all of it.
      writeIn(minIntervalMs ?? 0);
    },
    note(report, isNews) {
      const { options, tenants, failure, outcome } = report;
      // P193: a notification of a name that is no tenant leaves nothing.
      if (options.dryRun || (options.tenants !== null && tenants.length === 0 && !isNews)) return;
      noteRun(noted, report, latestTime(now()));
      if (isNews) news = [...news, report].slice(-maxReports);
      hasWorked ||= failure === null && outcome !== "interrupted";
      writeIn(Math.max(0, beganAtMs + (minIntervalMs ?? 0) - performance.now()));
    },
    flush,
    isFailing: () => complaint !== undefined,
  };
}

const interruptedGraceMs = 5000;
/** While the store is away, older reports are left out. */
const maxReports = 20;
