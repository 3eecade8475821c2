import { Readable } from "node:stream";
import { Failure, interrupted } from "../failure.ts";

export interface GuardOptions {
  /** Bytes that the store announced. */
  readonly size: number;
  /**
   * How long the reader may wait for the store: in one pause, and in all beyond the time that the bytes received so far take at
   * `slowestBytesPerMs`. So a body lasts at most this time and the time for its size. A slow reader's time does not count.
   */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Describes the body in messages. */
  readonly what: string;
}

/**
 * The body of a response, checked while it is read. It fails with a `Failure` when it has fewer or more bytes than `size` (HTTP
 * itself does not notice when a connection-delimited body is cut off), when it pauses too long or arrives too slowly, and
 * when the signal fires. A slow *reader* is no fault. When the body ends for any reason, its connection ends, too.
 */
export function guardedBody(source: Readable, options: GuardOptions): Readable {
  const { size, timeoutMs, signal, what } = options;
  let received = 0;
  /** How long the reader has waited for the store so far, and since when it waits now. */
  let waitedMs = 0;
  let waitingSince = 0;
  let timer: NodeJS.Timeout | undefined;

  const fail = (reason: string, cause?: unknown): void => {
    guarded.destroy(new Failure("store_unavailable", `${what}: ${reason}.`, { cause }));
  };
  const onAbort = (): void => {
    guarded.destroy(interrupted(what));
  };
  /** Sets a timer for the longest pause, or for the rest of the total time if that ends earlier. */
  const startWaiting = (): void => {
    if (timer !== undefined) return;
    waitingSince = performance.now();
    const leftMs = Math.max(0, timeoutMs + received / slowestBytesPerMs - waitedMs);
    timer =
      leftMs < timeoutMs
        ? setTimeout(() => fail(`the body came too slowly, ${received} of ${size} bytes so far`), leftMs)
        : setTimeout(() => fail(`the body paused for more than ${timeoutMs} ms`), timeoutMs);
  };
  const stopWaiting = (): void => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    waitedMs += performance.now() - waitingSince;
  };
  const guarded = new Readable({
    read() {
      startWaiting();
      source.resume();
    },
    destroy(error, callback) {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      source.destroy();
      callback(error);
    },
  });

  source.on("data", (chunk: Buffer) => {
    stopWaiting();
    received += chunk.length;
    if (received > size) fail(`the body is longer than the ${size} bytes announced`);
    else if (!guarded.push(chunk)) source.pause();
  });
  source.on("end", () => {
    if (received === size) guarded.push(null);
    else fail(`the body ended after ${received} of ${size} bytes`);
  });
  source.on("error", (error) => fail(`the body broke off after ${received} of ${size} bytes`, error));
  source.on("close", () => {
    if (!source.readableEnded) fail(`the body broke off after ${received} of ${size} bytes`);
  });
  source.pause();
  // A body may fail before its reader listens. The reader then finds the error on the stream.
  guarded.on("error", () => {});
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return guarded;
}

/** 64 KiB a second. A working store is faster, even over a bad line. */
export const slowestBytesPerMs = (64 * 1024) / 1000;
