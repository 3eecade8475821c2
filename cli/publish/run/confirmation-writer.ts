import { setTimeout as delay } from "node:timers/promises";
import {
  type Confirmation,
  type Confirmations,
  confirmationsBytes,
  readConfirmations,
} from "../../../core/confirmations.ts";
import { asFailure, Failure, unlessFailed } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { confirmedKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/object-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { Shell } from "../../shell/shell.ts";
import {
  type CarriedStep,
  carriedStep,
  confirmationOf,
  mergedConfirmations,
  withCarried,
  withoutGone,
} from "./merged-confirmations.ts";

/** Keeps `runs/confirmed.json`, for the runs of one process. */
export interface ConfirmationWriter {
  /** Notes what the runs of tenants say, when they have ended. Returns at once. */
  note(runs: readonly TenantRun[]): void;
  /**
   * Notes the tenants that source or store had at that time. Others are dropped from the document unless they were tried since.
   */
  noteKnown(tenantIds: ReadonlySet<string>, at: Date): void;
  /** Writes at once what was noted and is not written yet. Never rejects: see `onFailure`. */
  flush(): Promise<void>;
}

export interface ConfirmationWriterOptions {
  readonly now: () => Date;
  /** The least time between two writes that nobody asked for. `undefined`: only `flush` writes. */
  readonly minIntervalMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Called when the document was not written. The next write tries again with what was noted. */
  readonly onFailure: (failure: Failure) => void;
}

export function createConfirmationWriter(
  store: ObjectStore,
  { now, minIntervalMs, signal, onFailure }: ConfirmationWriterOptions,
): ConfirmationWriter {
  let noted: Confirmations = new Map();
  let steps: readonly CarriedStep[] = [];
  let known: Known | undefined;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wroteAtMs = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    const [taken, takenSteps, takenKnown] = [noted, steps, known];
    [noted, steps, known] = [new Map(), [], undefined];
    try {
      const latest = new Date(now().getTime() + maxClockSkewMs);
      await editConfirmations(store, signal, (stored) => {
        const kept = takenKnown === undefined ? stored : withoutGone(stored, takenKnown.ids, takenKnown.at);
        return withCarried(mergedConfirmations(kept, taken, latest), takenSteps);
      });
    } catch (error) {
      noted = mergedConfirmations(taken, noted);
      steps = [...takenSteps, ...steps];
      known ??= takenKnown;
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
      const said = runs.flatMap((run): (readonly [TenantId, Confirmation])[] => {
        const confirmation = confirmationOf(run, endedAt);
        return confirmation === undefined ? [] : [confirmation];
      });
      if (said.length === 0) return;
      noted = mergedConfirmations(noted, new Map(said));
      steps = [...steps, ...runs.flatMap((run) => carriedStep(run) ?? [])];
      schedule();
    },

    noteKnown(ids, at) {
      known = { ids, at };
    },

    async flush() {
      clearTimeout(timer);
      timer = undefined;
      await writing;
      if (noted.size > 0) await begin();
    },
  };
}

/** P93: drops the confirmation of a tenant that is gone for good. */
export async function forgetConfirmation(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<void> {
  await editConfirmations(store, signal, (stored) =>
    stored.has(tenantId) ? new Map([...stored].filter(([id]) => id !== tenantId)) : stored,
  );
}

interface Known {
  readonly ids: ReadonlySet<string>;
  readonly at: Date;
}

/** S3 refuses requests when the clock is further off. */
const maxClockSkewMs = 15 * 60_000;
/** Each conflict means that another builder has written; a few in a row are normal. */
const maxAttempts = 8;
/** The pause after a conflict is random, up to this times the attempt, so that two writers do not collide again. */
const maxPauseMs = 100;

/** P25: replaces the document by what `edit` makes of it, as one compare-and-swap; `edit` runs again after a conflict. */
async function editConfirmations(
  store: ObjectStore,
  signal: AbortSignal,
  edit: (stored: Confirmations) => Confirmations,
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { confirmations, etag } = await readStored(store, signal);
    const edited = edit(confirmations);
    // There is nothing new, or an earlier attempt without a clear answer was successful.
    if (edited === confirmations) return;
    const condition: PutCondition = etag === undefined ? { kind: "absent" } : { kind: "match", etag };
    try {
      const body = bytesBody(confirmationsBytes(edited));
      const { kind } = await store.put(confirmedKey, body, { condition, signal });
      if (kind === "stored") return;
    } catch (error) {
      // The driver has tried several times for each unclear answer, so after the second one the store is in trouble.
      if (asFailure(error).code !== "store_unavailable" || attempt > 1) throw error;
    }
    await delay(Math.random() * maxPauseMs * attempt, undefined, { signal });
  }
  throw new Failure("store_unavailable", `${confirmedKey} changed all the time.`);
}

/** A damaged document counts as empty: the next builds fill it again, and gateways go on with what they know. */
async function readStored(
  store: ObjectStore,
  signal: AbortSignal,
): Promise<{ readonly confirmations: Confirmations; readonly etag: ETag | undefined }> {
  const found = await store.get(confirmedKey, { signal });
  if (found.kind !== "object") return { confirmations: new Map(), etag: undefined };
  const { etag, body } = found;
  return {
    confirmations: (await unlessFailed(readConfirmations(body), "corrupt_document")) ?? new Map(),
    etag,
  };
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

/** The tenants that source or store have; `undefined` when the run did not look at all of them. */
export function knownTenants(report: RunReport): ReadonlySet<string> | undefined {
  const { options, failure, outcome, tenants, problems } = report;
  if (options.tenants !== null || options.dryRun) return undefined;
  if (failure !== null || outcome === "interrupted") return undefined;
  if (problems.some(({ code }) => code === "tenants_unreadable")) return undefined;
  const vanished = problems.flatMap(({ code, value }) => (code === "tenant_vanished" ? (value ?? []) : []));
  return new Set([...tenants.map(({ tenantId }) => tenantId), ...vanished]);
}
