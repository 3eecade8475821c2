import { Readable } from "node:stream";
import { Failure, interrupted } from "../failure.ts";

/**
 * The body of an object is checked while it arrives. Reading it fails with a `Failure` when it has fewer or more bytes than the
 * store announced (HTTP itself does not notice when a connection-delimited body is cut off), when it pauses too long or arrives too
 * slowly, and when the signal fires. When the body ends for any reason, its connection ends, too.
 */
export interface BodyOptions {
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

/** 64 KiB a second. A working store is faster, even over a bad line. */
const slowestBytesPerMs = (64 * 1024) / 1000;

/** Reads a body as fast as it arrives. For a small body this takes a fraction of the time of a second stream. */
export function wholeBody(source: Readable, options: BodyOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const check = checked(source, options, {
      take(chunk) {
        pieces.push(chunk);
        check.wait();
      },
      end() {
        check.stop();
        const [only] = pieces;
        resolve(pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, options.size));
      },
      fail: reject,
    });
    check.wait();
  });
}

/** A body that is read as fast as its reader takes it. */
export function streamedBody(source: Readable, options: BodyOptions): Readable {
  const stream = new Readable({
    read() {
      check.wait();
      source.resume();
    },
    destroy(error, callback) {
      check.stop();
      source.destroy();
      callback(error);
    },
  });
  // A body may fail before its reader listens. The reader then finds the error on the stream.
  stream.on("error", () => {});
  const check = checked(source, options, {
    take(chunk) {
      if (!stream.push(chunk)) source.pause();
    },
    end: () => stream.push(null),
    fail: (failure) => stream.destroy(failure),
  });
  source.pause();
  return stream;
}

interface BodyReader {
  take(chunk: Buffer): void;
  /** Called when all bytes were taken. */
  end(): void;
  fail(failure: Failure): void;
}

interface BodyCheck {
  /** Tells that the reader waits for the store from now on, until the next chunk. */
  wait(): void;
  /** Ends the check: nobody reads any more. */
  stop(): void;
}

function checked(
  source: Readable,
  { size, timeoutMs, signal, what }: BodyOptions,
  reader: BodyReader,
): BodyCheck {
  let received = 0;
  let isStopped = false;
  /** How long the reader has waited for the store so far, and since when it waits now. */
  let waitedMs = 0;
  let waitingSince = 0;
  let timer: NodeJS.Timeout | undefined;

  const check: BodyCheck = {
    /** Sets a timer for the longest pause, or for the rest of the total time if that ends earlier. */
    wait() {
      if (isStopped || timer !== undefined) return;
      waitingSince = performance.now();
      const leftMs = Math.max(0, timeoutMs + received / slowestBytesPerMs - waitedMs);
      timer =
        leftMs < timeoutMs
          ? setTimeout(() => broken(`the body came too slowly, ${received} of ${size} bytes so far`), leftMs)
          : setTimeout(() => broken(`the body paused for more than ${timeoutMs} ms`), timeoutMs);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
  function fail(failure: Failure): void {
    check.stop();
    reader.fail(failure);
    source.destroy();
  }
  function broken(reason: string, cause?: unknown): void {
    fail(new Failure("store_unavailable", `${what}: ${reason}.`, { cause }));
  }
  function brokenOff(cause?: unknown): void {
    broken(`the body broke off after ${received} of ${size} bytes`, cause);
  }
  function onAbort(): void {
    fail(interrupted(what));
  }

  source.on("data", (chunk: Buffer) => {
    if (timer !== undefined) {
      clearTimeout(timer);
      timer = undefined;
      waitedMs += performance.now() - waitingSince;
    }
    received += chunk.length;
    if (received > size) broken(`the body is longer than the ${size} bytes announced`);
    else reader.take(chunk);
  });
  source.on("end", () => {
    if (received === size) reader.end();
    else broken(`the body ended after ${received} of ${size} bytes`);
  });
  source.on("error", brokenOff);
  source.on("close", () => {
    if (!source.readableEnded) brokenOff();
  });
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return check;
}
