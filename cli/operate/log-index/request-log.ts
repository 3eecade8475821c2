import { asFailure, Failure } from "../../../core/failure.ts";
import { type LogSource, openLog } from "../gateway-log/open-log.ts";
import { wholeLines } from "../gateway-log/whole-lines.ts";
import { FollowedLog, type KnownContent } from "./followed-log.ts";
import { LogIndex } from "./log-index.ts";

export interface LogState {
  /** How much of the first reading is done, from 0 to 1. After it, 1. */
  readonly progress: number;
  readonly requests: number;
  readonly covers: { readonly from: string; readonly to: string } | null;
  /** Whether the oldest requests were dropped for lack of room. */
  readonly isDropping: boolean;
  /** Logs that could not be read, and why. */
  readonly faults: readonly string[];
}

/** The requests of logs that are being written and rotated. They are followed until `close`. */
export interface RequestLog {
  readonly index: LogIndex;
  /** Resolves when all logs, except standard input, have been read for the first time. */
  readonly isRead: Promise<void>;
  state(): LogState;
  /** Reads new lines, unless the first reading is still under way. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** The logs are also read when nobody asks, since a log that is deleted between two readings is lost. */
const lookEveryMs = 2000;

/**
 * Follows the logs. The first reading takes about 20 seconds per gigabyte. It begins with the newest requests, and queries are
 * answered meanwhile from what was read.
 */
export function followLogs(sources: readonly LogSource[], signal: AbortSignal): RequestLog {
  const index = new LogIndex();
  const take = (lines: Buffer): Promise<number> => index.add(lines);
  const contents: KnownContent[] = [];
  const names = [...new Set(sources.map(({ name }) => name))];
  const logs = names.filter((name) => name !== "-").map((name) => new FollowedLog(name, contents, take));
  const faults = new Map<string, string>();
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  let isRead = false;
  let underWay: Promise<void> | undefined;

  /** Turns an error into a fault of this log, so that the other logs are read nevertheless. */
  async function guarded(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      faults.delete(name);
    } catch (error) {
      if (!until.aborted) faults.set(name, readFault(name, error));
    }
  }

  async function readAll(): Promise<void> {
    if (!isRead) {
      for (const log of logs) await guarded(log.name, () => log.look());
      logs.sort((a, b) => b.changedMs - a.changedMs);
    }
    for (const log of logs) {
      if (!until.aborted) await guarded(log.name, () => log.refresh(until));
    }
    isRead = true;
  }

  function refresh(): Promise<void> {
    underWay ??= readAll().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  const stdin = sources.find(({ name }) => name === "-");
  const piped = stdin === undefined ? Promise.resolve() : guarded("-", () => readPiped(stdin, take, until));
  const first = refresh();
  const timer = setInterval(refresh, lookEveryMs).unref();
  return {
    index,
    isRead: first,
    state() {
      const size = logs.reduce((sum, log) => sum + log.size, 0);
      const read = logs.reduce((sum, log) => sum + Math.min(log.read, log.size), 0);
      const progress = isRead ? 1 : size === 0 ? 0 : Math.min(0.99, read / size);
      const { requests, covers, isDropping } = index;
      return { progress, requests, covers, isDropping, faults: [...faults.values()] };
    },
    async refresh() {
      if (isRead) await refresh();
    },
    async close() {
      clearInterval(timer);
      ending.abort();
      await Promise.allSettled([first, underWay, piped]);
      for (const log of logs) await log.close();
      index[Symbol.dispose]();
    },
  };
}

async function readPiped(
  source: LogSource,
  take: (lines: Buffer) => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  for await (const lines of wholeLines(openLog(source, signal))) {
    signal.throwIfAborted();
    await take(lines);
  }
}

function readFault(name: string, error: unknown): string {
  if (error instanceof Failure) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : asFailure(error).message;
  return `${name} could not be read (${code}).`;
}
