import { open } from "node:fs/promises";
import { asFailure } from "../../../core/failure.ts";
import { isErrno } from "../../../core/file-store/file-error.ts";
import { isCompressedLog, type LogSource, openLog } from "./open-log.ts";
import { type GatewayNote, gatewayNote, type RequestLogLine, requestLine } from "./request-line.ts";
import { readLinesBack, wholeLines, wholeLinesEnd } from "./whole-lines.ts";

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
  /** The newest answer of the last minute that the gateway gave without being able to confirm its snapshot (W162). */
  readonly unconfirmed: RequestLogLine | null;
  /** The gateways' newest note about themselves, if the hour has one. */
  readonly notes: readonly GatewayNote[];
}

const hourMs = 3_600_000;
const latelyMs = 60_000;
/** Of each log no more is read, 1.5 s of work at most. Gateways that write more in an hour are told apart by their metrics. */
const maxBytes = 64 * 1024 * 1024;

/**
 * P67: counts the answers of the last hour. A log is read from its end backwards, and nothing of it is kept, so it may grow and be
 * rotated meanwhile. A compressed log that has not been changed within the hour is not opened, and any other is read whole.
 */
export async function recentAnswers(
  sources: readonly LogSource[],
  now: Date,
  signal: AbortSignal,
): Promise<RecentAnswers> {
  const fromMs = now.getTime() - hourMs;
  const hour = new Hour(fromMs);
  const faults: string[] = [];
  const missing: string[] = [];
  const read = new Set<string>();
  for (const source of sources) {
    const { name } = source;
    try {
      const reach = await readHour(source, fromMs, read, (lines) => hour.add(lines), signal);
      if (reach === "cut") faults.push(`Only the newest ${maxBytes / 1024 / 1024} MB of ${name} were read.`);
      if (reach === "missing") missing.push(`${name} could not be read (ENOENT). Check --log.`);
    } catch (error) {
      if (signal.aborted) throw error;
      faults.push(asFailure(error).message);
    }
  }
  // A rotated log may not be there yet, nor the new one between two steps of a rotation.
  if (missing.length === sources.length) faults.push(...missing);
  return hour.answers(faults, now);
}

/** Passes the lines of the hour to `take`, and some before it. `cut`: not all of the hour was read. */
async function readHour(
  source: LogSource,
  fromMs: number,
  read: Set<string>,
  take: (lines: Buffer) => void,
  signal: AbortSignal,
): Promise<"whole" | "cut" | "missing"> {
  const opened = source.name === "-" ? undefined : await open(source.name, "r").catch(openFault);
  if (opened === "missing") return opened;
  await using file = opened;
  // A folder can be opened, but not read.
  const beginning = await file?.read(Buffer.alloc(8), 0, 8, 0).catch(() => undefined);
  if (file !== undefined && beginning !== undefined) {
    const { dev, ino, size, mtimeMs } = await file.stat();
    // One log may be given by several names.
    const identity = `${dev} ${ino}`;
    if (read.has(identity)) return "whole";
    read.add(identity);
    if (!isCompressedLog(source.name, beginning.buffer)) {
      let bytes = 0;
      let reach: "whole" | "cut" = "whole";
      const step = async (lines: Buffer): Promise<boolean> => {
        take(lines);
        bytes += lines.length;
        if (isOlder(lines, fromMs)) return false;
        if (bytes >= maxBytes) reach = "cut";
        return bytes < maxBytes;
      };
      await readLinesBack(file, await wholeLinesEnd(file, size), step, signal);
      return reach;
    }
    if (mtimeMs < fromMs) return "whole";
  }
  for await (const lines of wholeLines(openLog(source, signal))) take(lines);
  return "whole";
}

/** `undefined` for a log that cannot be opened: reading it as a stream fails again, with words for it. */
function openFault(error: unknown): "missing" | undefined {
  return isErrno(error, "ENOENT") ? "missing" : undefined;
}

/** Whether these lines begin before that time. The lines of a log are in the order of time. */
function isOlder(lines: Buffer, fromMs: number): boolean {
  for (let from = 0; from < lines.length; ) {
    const lineFeed = lines.indexOf(0x0a, from);
    const end = lineFeed === -1 ? lines.length : lineFeed;
    const first = requestLine(lines.toString("utf8", from, end));
    if (first !== undefined) return Date.parse(first.time) < fromMs;
    from = end + 1;
  }
  return false;
}

type Counted = { -readonly [Name in keyof Omit<Answers, "failures">]: number };

/** Memory grows with the number of tenants, not with that of requests. */
class Hour {
  readonly #fromMs: number;
  readonly #counts = new Map<string | null, Counted>();
  #failures: RequestLogLine[] = [];
  #unconfirmed: RequestLogLine | null = null;
  #note: GatewayNote | undefined;
  #from = "";
  #to = "";

  constructor(fromMs: number) {
    this.#fromMs = fromMs;
  }

  add(lines: Buffer): void {
    for (const text of lines.toString("utf8").split("\n")) {
      const line = requestLine(text);
      if (line !== undefined) this.#count(line);
      else if (text.includes('"storeId":')) {
        const note = gatewayNote(text);
        if (note !== undefined && note.time > (this.#note?.time ?? "")) this.#note = note;
      }
    }
  }

  #count(line: RequestLogLine): void {
    const { time, tenantId, status } = line;
    if (Date.parse(time) < this.#fromMs) return;
    if (this.#from === "" || time < this.#from) this.#from = time;
    if (time > this.#to) this.#to = time;
    const counted = this.#counts.get(tenantId) ?? { requests: 0, failed: 0, limited: 0, refused: 0 };
    this.#counts.set(tenantId, counted);
    counted.requests += 1;
    if (status >= 500) {
      counted.failed += 1;
      this.#failures.push(line);
      if (this.#failures.length >= 2 * maxFailures) this.#failures = newestFailures(this.#failures);
    } else if (status === 429) counted.limited += 1;
    else if (status === 401) counted.refused += 1;
    else if (line.unconfirmedSince !== null && time > (this.#unconfirmed?.time ?? "")) {
      this.#unconfirmed = line;
    }
  }

  answers(faults: readonly string[], now: Date): RecentAnswers {
    const failures = newestFailures(this.#failures);
    const old = this.#unconfirmed;
    return {
      state: { covers: this.#to === "" ? null : { from: this.#from, to: this.#to }, faults },
      of: (tenantId) => {
        const counted = this.#counts.get(tenantId);
        if (counted === undefined) return { requests: 0, failed: 0, limited: 0, refused: 0, failures: [] };
        return { ...counted, failures: failures.filter((line) => line.tenantId === tenantId) };
      },
      unconfirmed: old !== null && Date.parse(old.time) >= now.getTime() - latelyMs ? old : null,
      notes: this.#note === undefined ? [] : [this.#note],
    };
  }
}

/** Answers of 500 that are looked at for their cause. */
const maxFailures = 500;

function newestFailures(lines: readonly RequestLogLine[]): RequestLogLine[] {
  return lines.toSorted((a, b) => (a.time < b.time ? 1 : -1)).slice(0, maxFailures);
}
