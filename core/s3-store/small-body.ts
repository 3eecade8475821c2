import { Readable } from "node:stream";
import { Failure, interrupted } from "../failure.ts";
import { type GuardOptions, slowestBytesPerMs } from "./guarded-body.ts";

/** A body that is read into memory at once, and returned as a whole or as a stream. */
export interface SmallBody {
  /** Fails as the stream does. */
  whole(): Promise<Buffer>;
  stream(): Readable;
}

/** Up to this size a body is read at once. Most such bodies arrive together with the head of the answer. */
export const maxSmallBytes = 64 * 1024;

/**
 * A small body with the same checks as `guardedBody`, for a fraction of the cost of a second stream. Its bytes are read at once
 * and not when somebody reads, so there is no slow reader to wait for.
 */
export function smallBody(source: Readable, options: GuardOptions): SmallBody {
  const result = collected(source, options);
  // The body may fail before anybody asks for it.
  result.catch(() => {});
  return {
    whole: () => result,
    stream() {
      const stream: Readable = new Readable({
        read() {
          result.then(
            (bytes) => {
              stream.push(bytes);
              stream.push(null);
            },
            (error: Failure) => stream.destroy(error),
          );
        },
        destroy(error, callback) {
          source.destroy();
          callback(error);
        },
      });
      // The reader finds the error on the stream, as with `guardedBody`.
      stream.on("error", () => {});
      result.catch((error: Failure) => stream.destroy(error));
      return stream;
    },
  };
}

function collected(source: Readable, { size, timeoutMs, signal, what }: GuardOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let received = 0;
    const beganAt = performance.now();
    let lastAt = beganAt;
    let timer = setTimeout(onTime, timeoutMs);

    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const fail = (failure: Failure): void => {
      end();
      reject(failure);
      source.destroy();
    };
    const broken = (reason: string, cause?: unknown): void =>
      fail(new Failure("store_unavailable", `${what}: ${reason}.`, { cause }));
    const brokenOff = (cause?: unknown): void =>
      broken(`the body broke off after ${received} of ${size} bytes`, cause);
    function onAbort(): void {
      fail(interrupted(what));
    }
    /** One timer serves both bounds. It is set again when it fires before either of them. */
    function onTime(): void {
      const nowMs = performance.now();
      const pauseLeftMs = lastAt + timeoutMs - nowMs;
      const totalLeftMs = beganAt + timeoutMs + received / slowestBytesPerMs - nowMs;
      if (pauseLeftMs <= 0) broken(`the body paused for more than ${timeoutMs} ms`);
      else if (totalLeftMs <= 0) broken(`the body came too slowly, ${received} of ${size} bytes so far`);
      else timer = setTimeout(onTime, Math.ceil(Math.min(pauseLeftMs, totalLeftMs)));
    }

    source.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > size) {
        broken(`the body is longer than the ${size} bytes announced`);
        return;
      }
      lastAt = performance.now();
      pieces.push(chunk);
    });
    source.on("end", () => {
      if (received !== size) {
        broken(`the body ended after ${received} of ${size} bytes`);
        return;
      }
      end();
      const [only] = pieces;
      resolve(pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, size));
    });
    source.on("error", brokenOff);
    source.on("close", () => {
      if (!source.readableEnded) brokenOff();
    });
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
