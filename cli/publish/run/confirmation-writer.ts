import { type Confirmations, confirmationsBytes, readConfirmations } from "../../../core/confirmations.ts";
import { asFailure, type Failure, unlessFailed } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { type LastRuns, lastRunsBytes, noLastRuns, readLastRuns } from "../../../core/last-runs.ts";
import { confirmedKey, lastRunsKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore } from "../../../core/object-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { Shell } from "../../shell/shell.ts";
import { editDocument } from "../snapshot/edit-document.ts";
import { lastRunsOf, mergedLastRuns, withoutGoneRuns } from "./last-runs.ts";
import { confirmationOf, knownTenants, mergedConfirmations, withoutGone } from "./merged-confirmations.ts";

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
  /** The least time between two writes that nobody asked for. `undefined`: only `flush` writes. */
  readonly minIntervalMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Called when a document was not written. The next write tries again with what was noted. */
  readonly onFailure: (failure: Failure) => void;
}

/** S3 refuses requests when the clock is further off. */
const maxClockSkewMs = 15 * 60_000;

export function createConfirmationWriter(
  store: ObjectStore,
  { now, minIntervalMs, signal, onFailure }: ConfirmationWriterOptions,
): ConfirmationWriter {
  let confirmed: Confirmations = new Map();
  let reports: readonly RunReport[] = [];
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wroteAtMs = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    const [takenConfirmed, takenReports] = [confirmed, reports];
    [confirmed, reports] = [new Map(), []];
    const latest = new Date(now().getTime() + maxClockSkewMs);
    try {
      if (takenConfirmed.size > 0) {
        await editConfirmations(store, signal, (stored) =>
          mergedConfirmations(takenReports.reduce(withoutGoneOf, stored), takenConfirmed, latest),
        );
      }
      if (takenReports.length > 0) {
        await editLastRuns(store, signal, (stored) =>
          takenReports.reduce((runs, report) => {
            const said = lastRunsOf(report);
            return said === undefined ? runs : mergedLastRuns(withoutGoneRuns(runs, report), said, latest);
          }, stored),
        );
      }
    } catch (error) {
      confirmed = mergedConfirmations(takenConfirmed, confirmed);
      reports = [...takenReports, ...reports].slice(-maxKeptReports);
      onFailure(asFailure(error));
    } finally {
      wroteAtMs = performance.now();
      writing = undefined;
    }
  }

  /** Begins a write. Two at a time would only fail each other's conditions. */
  function begin(): Promise<void> {
    writing = write();
    return writing;
  }

  function onDue(): void {
    timer = undefined;
    if (writing === undefined) void begin();
    else schedule();
  }

  function schedule(): void {
    if (minIntervalMs === undefined || timer !== undefined) return;
    const dueInMs = Math.min(minIntervalMs, wroteAtMs + minIntervalMs - performance.now());
    timer = setTimeout(onDue, Math.max(0, writing === undefined ? dueInMs : minIntervalMs));
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

    async flush() {
      clearTimeout(timer);
      timer = undefined;
      await writing;
      if (confirmed.size > 0 || reports.length > 0) await begin();
    },
  };
}

/** While the store is away, older reports are left out. */
const maxKeptReports = 20;

function withoutGoneOf(stored: Confirmations, report: RunReport): Confirmations {
  const known = knownTenants(report);
  return known === undefined ? stored : withoutGone(stored, known, new Date(report.startedAt));
}

/** P93: drops what is said of a tenant that is gone for good. */
export async function forgetConfirmation(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<void> {
  await editConfirmations(store, signal, (stored) => without(stored, tenantId));
  await editLastRuns(store, signal, (stored) => {
    const tenants = without(stored.tenants, tenantId);
    return tenants === stored.tenants ? stored : { ...stored, tenants };
  });
}

function without<Value>(
  tenants: ReadonlyMap<TenantId, Value>,
  tenantId: TenantId,
): ReadonlyMap<TenantId, Value> {
  return tenants.has(tenantId) ? new Map([...tenants].filter(([id]) => id !== tenantId)) : tenants;
}

/** P25. A damaged document counts as empty: the next builds fill it again, and gateways go on with what they know. */
async function editConfirmations(
  store: ObjectStore,
  signal: AbortSignal,
  edit: (stored: Confirmations) => Confirmations,
): Promise<void> {
  const read = async () => {
    const found = await store.get(confirmedKey, { signal });
    if (found.kind !== "object") return { value: new Map(), etag: undefined };
    const value = (await unlessFailed(readConfirmations(found.body), "corrupt_document")) ?? new Map();
    return { value, etag: found.etag };
  };
  await editDocument(store, { key: confirmedKey, read, bytes: confirmationsBytes }, signal, edit);
}

/** A damaged document is replaced as a whole. */
async function editLastRuns(
  store: ObjectStore,
  signal: AbortSignal,
  edit: (stored: LastRuns) => LastRuns,
): Promise<void> {
  const read = async (): Promise<{ value: LastRuns; etag: ETag | undefined }> => {
    const found = await unlessFailed(readLastRuns(store, signal), "corrupt_document");
    if (found !== undefined) return { value: found.lastRuns, etag: found.etag };
    const damaged = await store.get(lastRunsKey, { signal });
    return { value: noLastRuns, etag: damaged.kind === "object" ? damaged.etag : undefined };
  };
  await editDocument(store, { key: lastRunsKey, read, bytes: lastRunsBytes }, signal, edit);
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
