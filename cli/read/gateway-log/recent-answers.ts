import { asFailure } from "../../../core/ground/failure.ts";
import { isErrno } from "../../../core/store/file-store/store-folders.ts";
import { findRequests } from "./find-requests.ts";
import { type LogSource, logFile, openLog, wholeLines } from "./open-log.ts";
import { type RequestLogLine, requestsIn } from "./request-line.ts";

/** What the gateways answered the partners of a tenant in the last hour. */
export interface Answers {
  readonly requests: number;
  /** Answers of 500 and above, of 429, and of 401. */
  readonly failed: number;
  readonly limited: number;
  readonly refused: number;
  /** The newest of those of 500 and above, newest first. */
  readonly failures: readonly RequestLogLine[];
}

/** How far the logs were read. */
export interface LogState {
  /** The first and the last request of the last hour (RFC 3339); `null` without any. */
  readonly covers: { readonly from: string; readonly to: string } | null;
  /** Logs that could not be read, and why, or not back to the beginning of the hour. */
  readonly faults: readonly string[];
}

export interface RecentAnswers {
  readonly state: LogState;
  /** `null` asks for the requests whose access key the gateway did not know. */
  of(tenantId: string | null): Answers;
  /** The newest answer of the last minute whose snapshot the gateway could not confirm (W162). */
  readonly unconfirmed: RequestLogLine | null;
}

const hourMs = 3_600_000;
const latelyMs = 60_000;
/** At most this is read of each log: 1.5 s of work. Gateways that write more in an hour have metrics. */
const maxBytes = 64 * 1024 * 1024;
const leastBytes = 1024 * 1024;

/**
 * P67: counts the answers of the last hour. Of a log only its end is read, and nothing of it is kept, so it
 * may grow and be rotated meanwhile. A compressed log that has not been changed within the hour is not read,
 * and any other is read whole.
 */
export async function recentAnswers(
  sources: readonly LogSource[],
  now: Date,
  signal: AbortSignal,
): Promise<RecentAnswers> {
  const fromMs = now.getTime() - hourMs;
  const hour = createTally(fromMs);
  const faults: string[] = [];
  const missing: string[] = [];
  const read = new Set<string>();
  for (const source of sources) {
    const { name } = source;
    try {
      const file = name === "-" ? undefined : await logFile(name);
      // One log may be given by several names.
      if (file !== undefined && read.has(file.identity)) continue;
      if (file !== undefined) read.add(file.identity);
      if (file?.isCompressed === true && file.modifiedMs < fromMs) continue;
      const size = file === undefined || file.isCompressed ? 0 : file.size;
      const start = await startOfHour(source, size, fromMs, signal);
      for await (const lines of wholeLines(openLog(source, signal, start ?? size - maxBytes)))
        hour.add(lines);
      if (start === undefined) faults.push(`Only the newest 64 MB of ${name} were read.`);
    } catch (error) {
      if (signal.aborted) throw error;
      const { cause, message } = asFailure(error);
      (isErrno(cause, "ENOENT") ? missing : faults).push(message);
    }
  }
  // A rotated log may not be there yet, nor the new one between two steps of a rotation.
  const named = missing.length === sources.length ? [...faults, ...missing] : faults;
  return hour.answers(named, now);
}

/**
 * A place in a plain log, before which no line is of the hour: the lines of a log are in the order of time.
 * Looks a megabyte before the end, then twice as far. `undefined`: the hour begins before all that is read.
 */
async function startOfHour(source: LogSource, size: number, fromMs: number, signal: AbortSignal) {
  for (let bytes = leastBytes; bytes < size && bytes <= maxBytes; bytes *= 2) {
    for await (const lines of wholeLines(openLog(source, signal, size - bytes))) {
      const [first] = requestsIn(lines);
      if (first === undefined) continue;
      if (Date.parse(first.time) < fromMs) return size - bytes;
      break;
    }
  }
  return size > maxBytes ? undefined : 0;
}

/** Counts the lines of the hour. Memory grows with the number of tenants, not with that of requests. */
function createTally(fromMs: number) {
  const counts = new Map<string | null, typeof nothing>();
  let failures: RequestLogLine[] = [];
  let old: RequestLogLine | undefined;
  let [from, to] = ["", ""];

  function count(line: RequestLogLine): void {
    const { time, tenantId, status } = line;
    if (Date.parse(time) < fromMs) return;
    if (from === "" || time < from) from = time;
    if (time > to) to = time;
    const counted = counts.get(tenantId) ?? { ...nothing };
    counts.set(tenantId, counted);
    counted.requests += 1;
    if (status === 429) counted.limited += 1;
    if (status === 401) counted.refused += 1;
    if (status === 200 && line.unconfirmedSince !== null && time > (old?.time ?? "")) old = line;
    if (status < 500) return;
    counted.failed += 1;
    failures.push(line);
    if (failures.length >= 2 * maxFailures) failures = newestFirst(failures);
  }

  return {
    add: (lines: Buffer) => requestsIn(lines).forEach(count),
    answers(faults: readonly string[], now: Date): RecentAnswers {
      const newest = newestFirst(failures);
      return {
        state: { covers: to === "" ? null : { from, to }, faults },
        of: (tenantId) => ({
          ...(counts.get(tenantId) ?? nothing),
          failures: newest.filter((line) => line.tenantId === tenantId),
        }),
        unconfirmed: old !== undefined && Date.parse(old.time) >= now.getTime() - latelyMs ? old : null,
      };
    },
  };
}

const nothing = { requests: 0, failed: 0, limited: 0, refused: 0 };
/** Answers of 500 that are looked at for their cause. */
const maxFailures = 500;

function newestFirst(lines: readonly RequestLogLine[]): RequestLogLine[] {
  return lines.toSorted((a, b) => (a.time < b.time ? 1 : -1)).slice(0, maxFailures);
}

/** The gateways' logs, asked again and again by pages. */
export type GatewayLog = ReturnType<typeof createGatewayLog>;

/** Logs that may grow and be rotated. Standard input is read as it comes, until `signal` aborts. */
export function createGatewayLog(logs: readonly LogSource[], signal: AbortSignal) {
  const sources = logs.map((log) => (log.name === "-" ? { ...log, stdin: keptInput(log, signal) } : log));
  let reading: Promise<RecentAnswers> | undefined;
  return {
    /** The requests with this id, however old. */
    find: (requestId: string) => findRequests(sources, requestId, signal),
    /** What partners got in the last hour. Pages that ask at once share one reading. */
    lastHour(now: Date) {
      reading ??= recentAnswers(sources, now, signal).finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}

/** A pipe brings each line once, perhaps for ever. A reading gets the newest `maxBytes` so far. */
function keptInput(log: LogSource, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const blocks: Buffer[] = [];
  let bytes = 0;
  let failure: unknown;
  async function keep(): Promise<void> {
    for await (const block of wholeLines(openLog(log, signal))) {
      blocks.push(block);
      bytes += block.length;
      while (bytes > maxBytes) bytes -= blocks.shift()?.length ?? bytes;
    }
  }
  keep().catch((error: unknown) => {
    failure = asFailure(error);
  });
  return {
    async *[Symbol.asyncIterator]() {
      yield* [...blocks];
      if (failure !== undefined) throw failure;
    },
  };
}
