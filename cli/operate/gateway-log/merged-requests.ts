import { type LogSource, openLog } from "./open-log.ts";
import { type RequestLogLine, requestsIn } from "./request-line.ts";
import { wholeLines } from "./whole-lines.ts";

/**
 * Passes the requests of all logs to `take` in the order of time, if each log is in order itself. The logs, rotated ones and
 * those of several gateways, may be given in any order. One block of each log is in memory.
 */
export async function forEachRequest(
  logs: readonly LogSource[],
  take: (line: RequestLogLine) => void,
  signal: AbortSignal,
): Promise<void> {
  const cursors = logs.map((log) => new LogCursor(requestBlocks(log, signal)));
  try {
    for (const cursor of cursors) await cursor.fill();
    for (let first = earliest(cursors); first !== undefined; first = earliest(cursors)) {
      const { cursor, until } = first;
      // Nothing is compared as long as this log has the earliest request.
      while (cursor.head !== undefined && (until === undefined || cursor.head.time <= until)) {
        take(cursor.head);
        cursor.advance();
        if (cursor.head === undefined) await cursor.fill();
      }
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

/** The log whose next request is the earliest. It stays the earliest `until` the time of another log's next request. */
function earliest(
  cursors: readonly LogCursor[],
): { readonly cursor: LogCursor; readonly until: string | undefined } | undefined {
  const waiting = cursors.filter(({ head }) => head !== undefined);
  waiting.sort((a, b) => ((a.head?.time ?? "") < (b.head?.time ?? "") ? -1 : 1));
  const [cursor, next] = waiting;
  return cursor === undefined ? undefined : { cursor, until: next?.head?.time };
}

class LogCursor {
  readonly #blocks: AsyncGenerator<readonly RequestLogLine[]>;
  #lines: readonly RequestLogLine[] = [];
  #at = 0;

  constructor(blocks: AsyncGenerator<readonly RequestLogLine[]>) {
    this.#blocks = blocks;
  }

  get head(): RequestLogLine | undefined {
    return this.#lines[this.#at];
  }

  advance(): void {
    this.#at += 1;
  }

  /** Fetches the next block that has a request. When there is none, the log is at its end. */
  async fill(): Promise<void> {
    while (this.head === undefined) {
      const { value, done } = await this.#blocks.next();
      if (done === true) return;
      this.#lines = value;
      this.#at = 0;
    }
  }

  async close(): Promise<void> {
    await this.#blocks.return(undefined);
  }
}

async function* requestBlocks(
  log: LogSource,
  signal: AbortSignal,
): AsyncGenerator<readonly RequestLogLine[]> {
  for await (const block of wholeLines(openLog(log, signal))) yield requestsIn(block);
}
