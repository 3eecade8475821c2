import { asFailure } from "../../../core/failure.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import type { Shell } from "../../shell/shell.ts";
import { addReports } from "./run-documents.ts";

/** Keeps `runs/confirmed.json` and `runs/last.json`, for the runs of one process. */
export interface RunRecorder {
  /** Notes a run that has ended. Returns at once. */
  note(report: RunReport): void;
  /** Writes at once what was noted and is not written yet. Never rejects. */
  flush(): Promise<void>;
}

/**
 * `minIntervalMs`: the least time between two writes; `undefined`: only `flush` writes. P25: a failure to write is a line on standard
 * error and changes no exit status. The next write tries again.
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
  let noted: readonly RunReport[] = [];
  let writing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let beganAtMs = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    if (noted.length === 0) return;
    const reports = noted;
    noted = [];
    beganAtMs = performance.now();
    try {
      await addReports(store, reports, now(), ended.signal);
    } catch (error) {
      noted = [...reports, ...noted].slice(-maxNoted);
      stderr.write(`partner-programs: the age of the data was not stored: ${asFailure(error).message}\n`);
    }
  }

  /** Writes when the write under way is done: two at a time would only fail each other's conditions. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  return {
    note(report) {
      if (report.options.dryRun) return;
      noted = [...noted, report];
      if (minIntervalMs === undefined) return;
      timer ??= setTimeout(flush, Math.max(0, beganAtMs + minIntervalMs - performance.now()));
    },
    flush,
  };
}

const interruptedGraceMs = 5000;
/** While the store is away, older reports are left out. */
const maxNoted = 20;
