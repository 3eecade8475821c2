import { type Confirmations, confirmationsBytes, readConfirmations } from "../../../core/confirmations.ts";
import { asFailure, type Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { type LastRuns, lastRunsBytes, noLastRuns, parseLastRuns } from "../../../core/last-runs.ts";
import { confirmedKey, lastRunsKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { Shell } from "../../shell/shell.ts";
import { editDocument, type SharedDocument } from "../snapshot/edit-document.ts";
import { confirmationOf, kept, mergedConfirmations, mergedLastRuns, withoutGone } from "./merged-runs.ts";

/** Keeps `runs/confirmed.json` and `runs/last.json`, for the runs of one process. */
export interface ConfirmationWriter {
  /** Notes what the runs of tenants say, when they have ended. Returns at once. */
  note(runs: readonly TenantRun[]): void;
  /** Notes a run that has ended, and which tenants source or store had: others are dropped unless they were tried since. */
  noteReport(report: RunReport): void;
  /** Writes at once what was noted and is not written yet. Never rejects: see `onFailure`. */
  flush(): Promise<void>;
}

export interface ConfirmationWriterOptions {
  readonly now: () => Date;
  /** The least time from one write to the next that nobody asked for. `undefined`: only `flush` writes. */
  readonly minIntervalMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Called when a document was not written. The next write tries again with what was noted. */
  readonly onFailure: (failure: Failure) => void;
}

/** P25. When it is damaged, the next builds fill it again, and gateways go on with what they know. */
const confirmedDocument: SharedDocument<Confirmations> = {
  key: confirmedKey,
  parse: ({ body }) => readConfirmations(body),
  empty: new Map(),
  bytes: confirmationsBytes,
  isReplaceable: true,
};

const lastRunsDocument: SharedDocument<LastRuns> = {
  key: lastRunsKey,
  parse: parseLastRuns,
  empty: noLastRuns,
  bytes: lastRunsBytes,
  isReplaceable: true,
};

/** S3 refuses requests when the clock is further off. */
const maxClockSkewMs = 15 * 60_000;

export function createConfirmationWriter(
  store: ObjectStore,
  { now, minIntervalMs, signal, onFailure }: ConfirmationWriterOptions,
): ConfirmationWriter {
  let confirmed: Confirmations = new Map();
  let reports: readonly RunReport[] = [];
  let writing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let beganAtMs = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    if (confirmed.size === 0 && reports.length === 0) return;
    const [takenConfirmed, takenReports] = [confirmed, reports];
    [confirmed, reports] = [new Map(), []];
    beganAtMs = performance.now();
    const latest = new Date(now().getTime() + maxClockSkewMs);
    try {
      if (takenConfirmed.size > 0) {
        await editDocument(store, confirmedDocument, signal, (stored) =>
          mergedConfirmations(takenReports.reduce(withoutGoneConfirmations, stored), takenConfirmed, latest),
        );
      }
      if (takenReports.length > 0) {
        await editDocument(store, lastRunsDocument, signal, (stored) =>
          takenReports.reduce(
            (runs, report) => mergedLastRuns(withoutGoneRuns(runs, report), report, latest),
            stored,
          ),
        );
      }
    } catch (error) {
      confirmed = mergedConfirmations(takenConfirmed, confirmed);
      reports = [...takenReports, ...reports].slice(-maxKeptReports);
      onFailure(asFailure(error));
    }
  }

  /** Writes when the write under way is done: two at a time would only fail each other's conditions. */
  function begin(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  function schedule(): void {
    if (minIntervalMs === undefined) return;
    timer ??= setTimeout(begin, Math.max(0, beganAtMs + minIntervalMs - performance.now()));
  }

  return {
    note(runs) {
      const endedAt = now();
      const said = runs.flatMap((run) => {
        const confirmation = confirmationOf(run, endedAt);
        return confirmation === undefined ? [] : [confirmation];
      });
      if (said.length === 0) return;
      confirmed = mergedConfirmations(confirmed, new Map(said));
      schedule();
    },

    noteReport(report) {
      if (report.options.dryRun) return;
      reports = [...reports, report];
      schedule();
    },

    flush: begin,
  };
}

/** While the store is away, older reports are left out. */
const maxKeptReports = 20;

function withoutGoneConfirmations(stored: Confirmations, report: RunReport): Confirmations {
  return withoutGone(stored, report, ({ triedAt }) => triedAt);
}

function withoutGoneRuns(stored: LastRuns, report: RunReport): LastRuns {
  return withTenants(
    stored,
    withoutGone(stored.tenants, report, ({ endedAt }) => endedAt),
  );
}

function withTenants(stored: LastRuns, tenants: LastRuns["tenants"]): LastRuns {
  return tenants === stored.tenants ? stored : { ...stored, tenants };
}

/** P93: drops what is said of a tenant that is gone for good. */
export async function forgetConfirmation(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<void> {
  const isOther = (id: TenantId): boolean => id !== tenantId;
  await editDocument(store, confirmedDocument, signal, (stored) => kept(stored, isOther));
  await editDocument(store, lastRunsDocument, signal, (stored) =>
    withTenants(stored, kept(stored.tenants, isOther)),
  );
}

/**
 * The writer for the runs of a command. A failure to write is a line on standard error and changes no exit status, because what was
 * published stays published (P25).
 */
export function sessionConfirmations(
  store: ObjectStore,
  shell: Shell,
  minIntervalMs: number | undefined,
): ConfirmationWriter {
  // After an interruption the writer has a few seconds to say what was published before.
  const grace = new AbortController();
  const onAbort = (): void => {
    setTimeout(() => grace.abort(), interruptedGraceMs).unref();
  };
  if (shell.signal.aborted) onAbort();
  else shell.signal.addEventListener("abort", onAbort, { once: true });
  return createConfirmationWriter(store, {
    now: shell.now,
    minIntervalMs,
    signal: grace.signal,
    onFailure: ({ message }) =>
      shell.stderr.write(`partner-programs: the age of the data was not stored: ${message}\n`),
  });
}

const interruptedGraceMs = 5000;
