import { write, writeSync } from "node:fs";

/** Where log lines go: gathered in memory and written in the background, so that no request waits for the disk. */
export interface LogDestination {
  write(line: string): void;
  /** Writes what is left before the process ends, trying for at most `maxMs`. */
  flushSync(maxMs: number): void;
}

/**
 * Lines for a file descriptor. When whoever reads them stops, at most `maxPendingBytes` of them are kept and further
 * ones are counted as lost: a full disk or a stalled pipe must neither stop the gateway nor fill its memory.
 */
export function createLogDestination(options: {
  readonly fd: number;
  readonly maxPendingBytes: number;
  readonly onLost: (lines: number) => void;
}): LogDestination {
  const { fd, maxPendingBytes, onLost } = options;
  let lines: string[] = [];
  /** UTF-16 units of `lines`: near enough to bytes, and free to count. */
  let gathered = 0;
  /** The part of an earlier batch that is not written yet. */
  let batch = Buffer.alloc(0);
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;

  function nextBatch(): Buffer {
    if (batch.length === 0 && lines.length > 0) {
      batch = Buffer.from(lines.join(""));
      lines = [];
      gathered = 0;
    }
    return batch;
  }

  function writeBatch(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting || nextBatch().length === 0) return;
    isWriting = true;
    write(fd, batch, 0, batch.length, null, (error, written) => {
      isWriting = false;
      if (error === null) batch = batch.subarray(written);
      else if (!isBusy(error)) giveUp();
      if (batch.length > 0) schedule(busyRetryMs);
      else if (gathered >= batchLength) writeBatch();
      else if (lines.length > 0) schedule(maxDelayMs);
    });
  }

  /** Nobody will ever read this (EPIPE, EBADF) or there is no room for it (ENOSPC). */
  function giveUp(): void {
    onLost(batch.toString("latin1").split("\n").length - 1);
    batch = Buffer.alloc(0);
  }

  function schedule(delayMs: number): void {
    timer ??= setTimeout(writeBatch, delayMs).unref();
  }

  return {
    write(line) {
      if (gathered + line.length > maxPendingBytes) {
        onLost(1);
        return;
      }
      lines.push(line);
      gathered += line.length;
      if (gathered >= batchLength) writeBatch();
      else schedule(maxDelayMs);
    },

    flushSync(maxMs) {
      const endsAt = Date.now() + maxMs;
      while (nextBatch().length > 0 && Date.now() < endsAt) {
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

const batchLength = 64 * 1024;
const maxDelayMs = 100;
const busyRetryMs = 20;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EBUSY");
}
