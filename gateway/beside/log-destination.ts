import { write, writeSync } from "node:fs";
import { settledWithin } from "../deadline.ts";

interface LogDestinationOptions {
  readonly fd: number;
  readonly maxPendingBytes: number;
  readonly onLost: (lines: number) => void;
}

/**
 * Takes log lines into memory and writes them in the background to a file descriptor, so that no request
 * waits for the disk. When its reader stops, `maxPendingBytes` of lines are kept, and further ones are
 * counted as lost: a full disk or a stalled pipe must neither stop the gateway nor fill its memory.
 *
 * `sonic-boom` (4.2.1), which pino brings, is not used: after an error such as EPIPE its `flushSync` never
 * returns, so a gateway whose standard output is closed would not exit. It also keeps lines that can never be
 * written, and `drop` does not report them, so they would be missing from `gateway_log_lines_lost_total`.
 */
export class LogDestination {
  readonly #options: LogDestinationOptions;
  /** Its first `#used` bytes are lines behind those in `#block`. Garbage collections would copy texts. */
  readonly #page: Buffer;
  #used = 0;
  /** The rest of what is written now. */
  #block = empty;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;
  #onAllWritten: (() => void) | undefined;

  constructor(options: LogDestinationOptions) {
    this.#options = options;
    this.#page = Buffer.allocUnsafeSlow(options.maxPendingBytes);
  }

  write(line: string): void {
    const { maxPendingBytes, onLost } = this.#options;
    if (this.#block.length + this.#used + Buffer.byteLength(line) > maxPendingBytes) {
      onLost(1);
      return;
    }
    this.#used += this.#page.write(line, this.#used);
    if (this.#used >= batchBytes && this.#block.length === 0) this.#writeBlock();
    else this.#schedule(maxDelayMs);
  }

  /** Waits until all lines are written, for `maxMs`. `flushSync` alone would write some lines twice. */
  flush(maxMs: number): Promise<void> {
    const written = new Promise<void>((resolve) => {
      this.#onAllWritten = resolve;
    });
    this.#writeBlock();
    return settledWithin(maxMs, written);
  }

  /** Writes what is left before the process ends, trying for at most `maxMs`. */
  flushSync(maxMs: number): void {
    const endsAt = Date.now() + maxMs;
    while (this.#hasBlock() && Date.now() < endsAt) {
      try {
        this.#block = this.#block.subarray(writeSync(this.#options.fd, this.#block));
      } catch (error) {
        if (!isBusy(error)) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyRetryMs);
      }
    }
  }

  /** True while there is something in `#block`. */
  #hasBlock(): boolean {
    if (this.#block.length === 0 && this.#used > 0) {
      this.#block = Buffer.from(this.#page.subarray(0, this.#used));
      this.#used = 0;
    }
    return this.#block.length > 0;
  }

  #writeBlock(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWriting) return;
    if (!this.#hasBlock()) {
      this.#onAllWritten?.();
      return;
    }
    this.#isWriting = true;
    const begun = this.#block;
    write(this.#options.fd, begun, (error, bytes) => {
      this.#isWriting = false;
      // `flushSync` has written this block meanwhile.
      if (this.#block !== begun) return;
      const isBusyNow = error !== null && isBusy(error);
      if (error === null) this.#block = begun.subarray(bytes);
      else if (!isBusyNow) this.#giveUp();
      if (isBusyNow) this.#schedule(busyRetryMs);
      else if (this.#block.length > 0 || this.#used >= batchBytes || this.#onAllWritten !== undefined)
        this.#writeBlock();
      else if (this.#used > 0) this.#schedule(maxDelayMs);
    });
  }

  /** Drops lines that nobody will ever read (EPIPE, EBADF) or that find no room (ENOSPC). */
  #giveUp(): void {
    this.#options.onLost(this.#block.toString("latin1").split("\n").length - 1);
    this.#block = empty;
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.#writeBlock(), delayMs).unref();
  }
}

const empty = Buffer.alloc(0);
const batchBytes = 64 * 1024;
const maxDelayMs = 100;
const busyRetryMs = 20;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EBUSY");
}
