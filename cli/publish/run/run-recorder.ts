import { asFailure } from "../../../core/failure.ts";
import { parseSnapshotId } from "../../../core/ids.ts";
import { bytesBody, documentBytes } from "../../../core/object-body.ts";
import { runKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readStoreIdentity } from "../../../core/open-store.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import type { Shell } from "../../shell/shell.ts";
import { addReports } from "./run-documents.ts";

/** Keeps reports, `runs/confirmed.json` and `runs/last.json`, for the runs of one process. */
export interface RunRecorder {
  /** Notes a run that has ended. `isNews`: its report is stored for support, too. Returns at once. */
  note(report: RunReport, isNews: boolean): void;
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
  let noted: readonly (readonly [report: RunReport, isNews: boolean])[] = [];
  let writing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let beganAtMs = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    if (noted.length === 0) return;
    const runs = noted;
    noted = [];
    beganAtMs = performance.now();
    try {
      // P160: a run that came to nothing begins no store. One whose tenants failed does: support asks why they did.
      const hasWorked = runs.some(([{ failure, outcome }]) => failure === null && outcome !== "interrupted");
      if (!hasWorked && (await readStoreIdentity(store, { signal: ended.signal })) === undefined) return;
      for (const [report, isNews] of runs) {
        const key = runKey(parseSnapshotId(report.runId));
        if (isNews) await store.put(key, bytesBody(documentBytes(report)), { signal: ended.signal });
      }
      const reports = runs.map(([report]) => report);
      await addReports(store, reports, now(), ended.signal);
    } catch (error) {
      noted = [...runs, ...noted].slice(-maxNoted);
      const what = "the run's report and the age of the data were not stored";
      stderr.write(`partner-programs: ${what}: ${asFailure(error).message}\n`);
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
    note(report, isNews) {
      if (report.options.dryRun) return;
      noted = [...noted, [report, isNews]];
      if (minIntervalMs === undefined) return;
      timer ??= setTimeout(flush, Math.max(0, beganAtMs + minIntervalMs - performance.now()));
    },
    flush,
  };
}

const interruptedGraceMs = 5000;
/** While the store is away, older reports are left out. */
const maxNoted = 20;
