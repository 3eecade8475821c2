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
  /** Waits until all lines are written, `maxMs` at most. `flushSync` alone would write twice what is written just then. */
  flush(maxMs: number): Promise<void>;
  /** Writes what is left before the process ends, trying for at most `maxMs`. */
  flushSync(maxMs: number): void;
}

/**
 * Writes lines to a file descriptor. When its reader stops, `maxPendingBytes` of lines are kept, and further ones are
 * counted as lost: a full disk or a stalled pipe must neither stop the gateway nor fill its memory.
 */
export function createLogDestination(options: {
  readonly fd: number;
  readonly maxPendingBytes: number;
  readonly onLost: (lines: number) => void;
}): LogDestination {
  const { fd, maxPendingBytes, onLost } = options;
  /** Its first `used` bytes are lines behind those in `block`. Each garbage collection would copy the many parts of lines kept as text. */
  const page = Buffer.allocUnsafeSlow(maxPendingBytes);
  let used = 0;
  /** The rest of what is written now. */
  let block = empty;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  let onAllWritten: (() => void) | undefined;

  /** True while there is something in `block`. */
  function hasBlock(): boolean {
    if (block.length === 0 && used > 0) {
      block = Buffer.from(page.subarray(0, used));
      used = 0;
    }
    return block.length > 0;
  }

  function writeBlock(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    if (!hasBlock()) {
      onAllWritten?.();
      return;
    }
    isWriting = true;
    const begun = block;
    write(fd, begun, (error, bytes) => {
      isWriting = false;
      // `flushSync` has written this block meanwhile.
      if (block !== begun) return;
      const isBusyNow = error !== null && isBusy(error);
      if (error === null) block = begun.subarray(bytes);
      else if (!isBusyNow) giveUp();
      if (isBusyNow) schedule(busyRetryMs);
      else if (block.length > 0 || used >= batchBytes || onAllWritten !== undefined) writeBlock();
      else if (used > 0) schedule(maxDelayMs);
    });
  }

  /** Drops lines that nobody will ever read (EPIPE, EBADF) or that find no room (ENOSPC). */
  function giveUp(): void {
    onLost(block.toString("latin1").split("\n").length - 1);
    block = empty;
  }

  function schedule(delayMs: number): void {
    timer ??= setTimeout(writeBlock, delayMs).unref();
  }

  return {
    write(line) {
      if (block.length + used + Buffer.byteLength(line) > maxPendingBytes) {
        onLost(1);
        return;
      }
      used += page.write(line, used);
      if (used >= batchBytes && block.length === 0) writeBlock();
      else schedule(maxDelayMs);
    },

    flush(maxMs) {
      const written = new Promise<void>((resolve) => {
        onAllWritten = resolve;
      });
      writeBlock();
      return settledWithin(maxMs, written);
    },

    flushSync(maxMs) {
      const endsAt = Date.now() + maxMs;
      while (hasBlock() && Date.now() < endsAt) {
        try {
          block = block.subarray(writeSync(fd, block));
        } catch (error) {
          if (!isBusy(error)) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyRetryMs);
        }
      }
    },
  };
}

const empty = Buffer.alloc(0);
const batchBytes = 64 * 1024;
const maxDelayMs = 100;
const busyRetryMs = 20;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EBUSY");
}
