import { asFailure } from "../../../core/ground/failure.ts";
import { parseSnapshotId } from "../../../core/ground/ids.ts";
import { runKey } from "../../../core/ground/object-key.ts";
import { readStoreIdentity } from "../../../core/process/open-store.ts";
import { bytesBody, documentBytes } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
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

/**
 * Keeps reports, `runs/confirmed.json` and `runs/last.json`, for the runs of one process.
 *
 * P25: a failure to write changes no exit status. It is a line on standard error, unless the write before
 * failed in the same way, and the next write tries again. P194: however long the store is away, nothing that
 * is known of a tenant is lost; only reports are, the older ones first.
 */
export class RunRecorder {
  readonly #store: ObjectStore;
  readonly #shell: Pick<Shell, "now" | "stderr">;
  readonly #minIntervalMs: number | undefined;
  readonly #ended = new AbortController();
  readonly #noted = nothingNoted();
  #news: readonly RunReport[] = [];
  #isPending = false;
  /** P160: a run that came to nothing begins no store. Failed tenants do begin it: support asks why. */
  #hasWorked = false;
  #writing = Promise.resolve();
  /** The write that waits for the one under way. */
  #waiting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #beganAtMs = Number.NEGATIVE_INFINITY;
  /** What was said of the last write, unless it was done. */
  #complaint: string | undefined;

  /** `minIntervalMs`: the least time between two writes; `undefined`: only `flush` writes. */
  constructor(
    store: ObjectStore,
    shell: Pick<Shell, "now" | "signal" | "stderr">,
    minIntervalMs: number | undefined,
  ) {
    this.#store = store;
    this.#shell = shell;
    this.#minIntervalMs = minIntervalMs;
    // After an interruption there are a few seconds to say what was published before.
    const end = (): void => this.#ended.abort();
    shell.signal.addEventListener("abort", () => setTimeout(end, interruptedGraceMs).unref(), { once: true });
  }

  /** Notes a tenant whose build has ended, in a run that may go on for long. Returns at once. */
  noteTenant(run: TenantRun, of: RunOfTenant): void {
    noteTenant(this.#noted, run, of, latestTime(this.#shell.now()));
    // Where the run ends sooner, one write has all of it.
    this.#writeIn(this.#minIntervalMs ?? 0);
  }

  /** Notes a run after its tenants. `isNews`: support gets its report, too. Returns at once. */
  note(report: RunReport, isNews: boolean): void {
    const { options, tenants, failure, outcome } = report;
    // P193: a notification of a name that is no tenant leaves nothing.
    if (options.dryRun || (options.tenants !== null && tenants.length === 0 && !isNews)) return;
    noteRun(this.#noted, report, latestTime(this.#shell.now()));
    if (isNews) this.#news = [...this.#news, report].slice(-maxReports);
    this.#hasWorked ||= failure === null && outcome !== "interrupted";
    this.#writeIn(Math.max(0, this.#beganAtMs + (this.#minIntervalMs ?? 0) - performance.now()));
  }

  /**
   * Writes what was noted and is not written yet, when the write under way is done: two at a time would only
   * fail each other's conditions. One write waits at most. Never rejects.
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    if (this.#waiting === undefined) {
      this.#waiting = this.#writing.then(() => this.#write());
      this.#writing = this.#waiting;
    }
    return this.#waiting;
  }

  /** Whether the last write failed, or a part of it. */
  isFailing(): boolean {
    return this.#complaint !== undefined;
  }

  /** Unless a write is due sooner. */
  #writeIn(ms: number): void {
    this.#isPending = true;
    const atMs = performance.now() + ms;
    if (this.#minIntervalMs === undefined || atMs >= this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    this.#timer = setTimeout(() => this.flush(), ms);
  }

  async #write(): Promise<void> {
    this.#waiting = undefined;
    if (!this.#isPending) return;
    this.#isPending = false;
    this.#beganAtMs = performance.now();
    const failed = await this.#writeAll().catch((error: unknown) => asFailure(error).message);
    this.#isPending ||= failed !== undefined;
    if (failed !== undefined && failed !== this.#complaint) {
      const what = "the run's report and the age of the data were not stored";
      this.#shell.stderr.write(`partner-programs: ${what}: ${failed}\n`);
    }
    this.#complaint = failed;
  }

  /** Returns why a document itself could not be written. Throws when the store does not take it. */
  async #writeAll(): Promise<string | undefined> {
    const { signal } = this.#ended;
    if (!this.#hasWorked && (await readStoreIdentity(this.#store, { signal })) === undefined) {
      this.#news = [];
      return undefined;
    }
    const written = copyOf(this.#noted);
    const latest = latestTime(this.#shell.now());
    let failed: string | undefined;
    // Partners see how old the data is, so that goes first.
    for (const writeDocument of [writeConfirmations, writeLastRuns]) {
      await writeDocument(this.#store, written, latest, signal).catch((error: unknown) => {
        if (asFailure(error).code !== "unrecorded") throw error;
        // P194: that the one document is full keeps nothing else from being written.
        failed ??= asFailure(error).message;
      });
    }
    forgetWritten(this.#noted, written);
    for (const report of this.#news) {
      const body = bytesBody(documentBytes(report));
      await this.#store.put(runKey(parseSnapshotId(report.runId)), body, { signal });
      this.#news = this.#news.filter((each) => each !== report);
    }
    return failed;
  }
}

const interruptedGraceMs = 5000;
/** While the store is away, older reports are left out. */
const maxReports = 20;
