import { Readable } from "node:stream";
import { Failure } from "../failure.ts";
import { interrupted } from "./attempts.ts";

export interface GuardOptions {
  /** Bytes that the store announced. */
  readonly size: number;
  /** Longest pause that the store may make while the reader waits for bytes. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** For messages: which body. */
  readonly what: string;
}

/**
 * The body of a response, held to its promise: it fails with a `Failure` when it ends before `size` bytes or goes
 * on after them (HTTP alone does not notice when a connection-delimited body is cut), when it pauses too long
 * (a slow *reader* is no pause) and when the signal fires. Whatever ends it also ends the connection under it.
 */
export function guardedBody(source: Readable, options: GuardOptions): Readable {
  const { size, idleTimeoutMs, signal, what } = options;
  let received = 0;
  let timer: NodeJS.Timeout | undefined;

  const fail = (reason: string, cause?: unknown): void => {
    guarded.destroy(new Failure("store_unavailable", `${what}: ${reason}.`, { cause }));
  };
  const onAbort = (): void => {
    guarded.destroy(interrupted(what));
  };
  const guarded = new Readable({
    read() {
      timer ??= setTimeout(() => fail(`the body paused for more than ${idleTimeoutMs} ms`), idleTimeoutMs);
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
    clearTimeout(timer);
    timer = undefined;
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
