import { createHash } from "node:crypto";
import { pipeline, type Readable, Transform, type Writable } from "node:stream";
import { LRUCache } from "lru-cache";
import { Failure } from "../core/failure.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import type { ObjectKey } from "../core/object-key.ts";
import { entryFailure, openEntry, readEntry } from "../core/read-entry.ts";
import { withCallDeadline } from "./deadline.ts";
import type { Mirror } from "./mirror.ts";
import type { StoreReader } from "./store-watch.ts";

/**
 * Gives a body to `take`, chunk by chunk. A chunk belongs to `take` until `take` has resolved. Throws when the body is wrong
 * or breaks off; the last bytes were not given to `take` then. Throws also what `take` throws.
 */
export type ChunkSource = (take: (chunk: Buffer) => Promise<void>) => Promise<void>;

/** Bodies too large for the cache, checked while they are sent (P17). */
export interface BodyStreams {
  /** Aborting the signal ends the reading. */
  open(entry: ResponseEntry, signal: AbortSignal): Promise<ChunkSource>;
}

export function createBodyStreams(
  store: StoreReader,
  callTimeoutMs: number,
  mirror?: Pick<Mirror, "keepBody">,
): BodyStreams {
  // A large file of a local store is hashed once. Hashing it for every reader would be most of the work.
  const verified = new LRUCache<ObjectKey, string>({ max: 1000 });

  /** The body is too large to be kept in memory for its copy, so the store is read again for that. */
  function keep(entry: ResponseEntry): void {
    mirror?.keepBody(entry, () =>
      withCallDeadline(callTimeoutMs, `Reading ${entry.key}`, (signal) => checkedBody(store, entry, signal)),
    );
  }

  return {
    async open(entry, signal) {
      const { key, sha256 } = entry;
      const found = await openEntry(store, entry, signal);
      if (found.kind === "fault") throw entryFailure(entry, found.fault);
      const { body, etag, forEachChunk } = found;
      const version = `${etag} ${sha256}`;
      if (forEachChunk !== undefined && verified.get(key) === version) return forEachChunk;
      const source = checked(body, entry, signal);
      return async (take) => {
        await source(take);
        if (verified.get(key) !== version) keep(entry);
        verified.set(key, version);
      };
    },
  };
}

function checked(body: Readable, entry: ResponseEntry, signal: AbortSignal): ChunkSource {
  // The stream of a local file ignores the signal.
  if (signal.aborted) body.destroy();
  return async (take) => {
    const verifying = verifyingStream(entry);
    // The loop below throws the pipeline's errors.
    pipeline(body, verifying, () => {});
    for await (const chunk of verifying as AsyncIterable<Buffer>) await take(chunk);
  };
}

/**
 * Passes each chunk on when the next one has arrived. The last chunk is passed on only when size and digest are those of the
 * entry. Otherwise the stream fails, and the client sees a body that ends too early instead of a wrong one.
 */
export function verifyingStream({ key, size, sha256 }: ResponseEntry): Transform {
  const hash = createHash("sha256");
  let seen = 0;
  let held: Buffer | undefined;
  return new Transform({
    highWaterMark: 64 * 1024,
    transform(chunk: Buffer, _encoding, done) {
      // An empty chunk at the end would release the last chunk before the check.
      if (chunk.length === 0) return done();
      seen += chunk.length;
      if (seen > size) return done(corrupt(`${key} is longer than its ${size} bytes.`));
      hash.update(chunk);
      const released = held;
      held = chunk;
      done(null, released);
    },
    flush(done) {
      if (seen !== size) return done(corrupt(`${key} ended after ${seen} of ${size} bytes.`));
      if (hash.digest("hex") !== sha256) return done(corrupt(`${key} has not the digest of its manifest.`));
      done(null, held);
    },
  });
}

function corrupt(message: string): Failure {
  return new Failure("corrupt_document", message);
}

/** Resolves when the sink is done with the chunk, whose memory may be used again then. */
export function written(sink: Writable, chunk: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    sink.write(chunk, (error) => {
      signal.removeEventListener("abort", leave);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** The bytes that the entry describes. Throws when the store has other bytes (P17, W17). */
export async function checkedBody(
  store: StoreReader,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const fault = await readEntry(store, entry, signal, (piece) => pieces.push(piece));
  if (fault !== undefined) throw entryFailure(entry, fault);
  return ownBytes(pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces));
}

/** A copy, if the buffer is a slice of a shared block, since a long-lived slice would keep the whole block in memory. */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
