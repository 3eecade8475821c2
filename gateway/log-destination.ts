import { write, writeSync } from "node:fs";
import { settledWithin } from "./deadline.ts";

/**
 * Takes log lines into memory and writes them in the background, so that no request waits for the disk.
 *
 * `sonic-boom` (4.2.1), which pino brings, is not used: after an error such as EPIPE its `flushSync` never returns, so a
 * gateway whose standard output is closed would not exit. It also keeps lines that can never be written, and `drop`
 * does not report them, so they would be missing from `gateway_log_lines_lost_total`.
 */
export interface LogDestination {
  write(line: string): void;
  /**
   * Resolves when all lines are written, or after `maxMs`. Callers that can wait await it before `flushSync`, which writes again
   * the lines that are being written in the background.
   */
  flush(maxMs: number): Promise<void>;
  /** Writes what is left before the process ends, trying for at most `maxMs`. */
  flushSync(maxMs: number): void;
}

/**
 * Writes lines to a file descriptor. When its reader stops, at most `maxPendingBytes` of lines are kept, and further ones are
 * counted as lost: a full disk or a stalled pipe must neither stop the gateway nor fill its memory.
 */
export function createLogDestination(options: {
  readonly fd: number;
  readonly maxPendingBytes: number;
  readonly onLost: (lines: number) => void;
}): LogDestination {
  const { fd, maxPendingBytes, onLost } = options;
  /** Lines that are gathered for the next batch. */
  let gathered = "";
  /** The rest of the batch that is being written. */
  let batch = noBytes;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  let onAllWritten: (() => void) | undefined;

  /** True while there is something to write. */
  function fillBatch(): boolean {
    if (batch.length === 0) {
      batch = Buffer.from(gathered);
      gathered = "";
    }
    return batch.length > 0;
  }

  function writeBatch(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    if (!fillBatch()) {
      onAllWritten?.();
      return;
    }
    isWriting = true;
    const begun = batch;
    write(fd, begun, 0, begun.length, null, (error, written) => {
      isWriting = false;
      // Otherwise `flushSync` has written the batch meanwhile.
      if (batch === begun) noteWritten(error, written);
    });
  }

  function noteWritten(error: NodeJS.ErrnoException | null, written: number): void {
    if (error !== null && isBusy(error)) {
      schedule(busyRetryMs);
      return;
    }
    if (error === null) batch = batch.subarray(written);
    else giveUp();
    if (batch.length > 0 || gathered.length >= batchLength || onAllWritten !== undefined) writeBatch();
    else if (gathered !== "") schedule(maxDelayMs);
  }

  /** Drops a batch that nobody will ever read (EPIPE, EBADF) or that finds no room (ENOSPC). */
  function giveUp(): void {
    onLost(batch.toString("latin1").split("\n").length - 1);
    batch = noBytes;
  }

  function schedule(delayMs: number): void {
    timer ??= setTimeout(writeBatch, delayMs).unref();
  }

  return {
    write(line) {
      if (batch.length + gathered.length + line.length > maxPendingBytes) {
        onLost(1);
        return;
      }
      gathered += line;
      if (gathered.length >= batchLength && batch.length === 0) writeBatch();
      else schedule(maxDelayMs);
    },

    flush(maxMs) {
      const written = new Promise<void>((resolve) => {
        onAllWritten = resolve;
      });
      writeBatch();
      return settledWithin(maxMs, written);
    },

    flushSync(maxMs) {
      const endsAt = Date.now() + maxMs;
      while (fillBatch() && Date.now() < endsAt) {
        try {
          batch = batch.subarray(writeSync(fd, batch));
        } catch (error) {
          if (!isBusy(error)) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyRetryMs);
        }
      }
    },
  };
}

const noBytes = Buffer.alloc(0);
const batchLength = 64 * 1024;
const maxDelayMs = 100;
const busyRetryMs = 20;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EBUSY");
}
