import { Readable } from "node:stream";
import { Failure, interrupted } from "../failure.ts";

export interface GuardOptions {
  /** Bytes that the store announced. */
  readonly size: number;
  /**
   * How long the reader may wait for the store: at a stretch, and in all beyond what the bytes received so far take at
   * `slowestBytesPerMs`. So a body lasts at most this time and what its size takes, not counting a slow reader's.
   */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** For messages: which body. */
  readonly what: string;
}

/**
 * The body of a response, held to its promise: it fails with a `Failure` when it ends before `size` bytes or goes
 * on after them (HTTP alone does not notice when a connection-delimited body is cut), when it pauses too long
 * or drips (a slow *reader* does neither) and when the signal fires. Whatever ends it also ends the connection under it.
 */
export function guardedBody(source: Readable, options: GuardOptions): Readable {
  const { size, timeoutMs, signal, what } = options;
  let received = 0;
  /** What the reader has waited for the store so far, and since when it waits now. */
  let waitedMs = 0;
  let waitingSince = 0;
  let timer: NodeJS.Timeout | undefined;

  const fail = (reason: string, cause?: unknown): void => {
    guarded.destroy(new Failure("store_unavailable", `${what}: ${reason}.`, { cause }));
  };
  const onAbort = (): void => {
    guarded.destroy(interrupted(what));
  };
  /** Whichever comes first: the longest pause, or the end of what its bytes have earned the store. */
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
  // A body may fail before its reader listens; the reader then finds the error on the stream.
  guarded.on("error", () => {});
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return guarded;
}

/** 64 KiB a second: slower than any store that works, and slow enough for a bad line. */
export const slowestBytesPerMs = (64 * 1024) / 1000;
