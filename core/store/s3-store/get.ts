import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Failure, interrupted, unlessFailed } from "../../ground/failure.ts";
import { joinedPieces, objectInMemory } from "../object-body.ts";
import type { GetResult, ObjectStore } from "../object-store.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { describeCall, type S3Call, s3Key, unlessKind } from "./s3-error.ts";

/** Up to this size a body is read at once. Most such bodies arrive with the head of the answer. */
const maxWholeBytes = 64 * 1024;

/** `get` of the port. */
export function createGet(context: S3Context): ObjectStore["get"] {
  const { location, send, timeoutMs } = context;
  return async (key, { ifNoneMatch, wholeUpTo = 0, signal } = {}): Promise<GetResult> => {
    const headers = ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch };
    const request = { method: "GET", key: s3Key(location, key), headers } as const;
    const call: S3Call = { operation: "GetObject", location, key };
    const what = describeCall(call);
    for (let isAgain = false; ; isAgain = true) {
      const calling = s3Call(context, call, { signal }, (abortSignal) => send(request, abortSignal));
      const answer = await unlessKind(calling, "no_object");
      if (answer === undefined) return { kind: "missing" };
      if (answer.statusCode === 304) {
        answer.resume();
        return { kind: "not_modified" };
      }
      const head = headOf(answer, what);
      const options = { size: head.size, timeoutMs, signal, what };
      if (head.size > Math.max(maxWholeBytes, wholeUpTo))
        return { ...head, body: checkedBody(answer, options) };
      const reading = joinedPieces(checkedChunks(answer, options), head.size, what);
      // P199: nobody has seen a byte of it yet.
      const bytes = await (isAgain ? reading : unlessFailed(reading, "store_unavailable"));
      if (bytes !== undefined) return objectInMemory(head, bytes);
    }
  };
}

function headOf(answer: IncomingMessage, what: string) {
  const { "content-length": length = "", "last-modified": modified = "", etag = "" } = answer.headers;
  const modifiedAt = new Date(modified);
  if (/^\d{1,15}$/.test(length) && etag !== "" && !Number.isNaN(modifiedAt.getTime())) {
    return { kind: "object", etag, size: Number(length), modifiedAt } as const;
  }
  // Without a Content-Length, a body that was cut off would look complete.
  answer.destroy();
  throw new Failure(
    "store_unsupported",
    `${what}: the answer lacks Content-Length, ETag or Last-Modified; no proxy before the store may drop or rewrite them.`,
  );
}

export interface BodyOptions {
  /** Bytes that the store announced. */
  readonly size: number;
  /**
   * How long the reader may wait for the store: in one pause, and in all beyond the time that the bytes
   * received so far take at `slowestBytesPerMs`. So a body lasts at most this time and the time for its size.
   * A slow reader's time does not count.
   */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Describes the body in messages. */
  readonly what: string;
}

/** 64 KiB a second. A working store is faster, even over a bad line. */
const slowestBytesPerMs = (64 * 1024) / 1000;

/**
 * The body of an object, checked while it arrives. Reading it fails with a `Failure` when it has fewer or
 * more bytes than the store announced (HTTP itself does not notice when a connection-delimited body is cut
 * off), when it pauses too long or arrives too slowly, and when the signal fires. When the body ends for any
 * reason but its own end, its connection ends, too.
 */
async function* checkedChunks(
  source: Readable,
  { size, timeoutMs, signal, what }: BodyOptions,
): AsyncGenerator<Buffer> {
  let received = 0;
  let waitedMs = 0;
  const broken = (reason: string, cause?: unknown): Failure =>
    new Failure("store_unavailable", `${what}: ${reason}.`, { cause });
  const onAbort = (): void => void source.destroy(interrupted(what));
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) onAbort();
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const waitingSince = performance.now();
      const leftMs = Math.max(0, timeoutMs + received / slowestBytesPerMs - waitedMs);
      const reason =
        leftMs < timeoutMs
          ? `the body came too slowly, ${received} of ${size} bytes so far`
          : `the body paused for more than ${timeoutMs} ms`;
      const timer = setTimeout(() => source.destroy(broken(reason)), Math.min(leftMs, timeoutMs));
      const next = await chunks.next().finally(() => clearTimeout(timer));
      if (next.done === true) break;
      waitedMs += performance.now() - waitingSince;
      received += next.value.length;
      if (received > size) throw broken(`the body is longer than the ${size} bytes announced`);
      yield next.value;
    }
    if (received < size) throw broken(`the body ended after ${received} of ${size} bytes`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw broken(`the body broke off after ${received} of ${size} bytes`, error);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    source.destroy();
  }
}

/** The chunks as a stream, which is read as fast as its reader takes it. */
export function checkedBody(source: Readable, options: BodyOptions): Readable {
  const chunks = checkedChunks(source, options);
  // The connection may break before anybody reads. The reader then finds the end.
  source.on("error", () => {});
  return new Readable({
    read() {
      chunks.next().then(
        ({ value }) => this.push(value ?? null),
        (error: Failure) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      source.destroy();
      chunks.return(undefined).catch(() => {});
      callback(error);
    },
  });
}
