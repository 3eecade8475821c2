import { createHash } from "node:crypto";
import { pipeline, type Readable, Transform, type Writable } from "node:stream";
import { LRUCache } from "lru-cache";
import { Failure } from "../core/failure.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import type { ObjectKey } from "../core/object-key.ts";
import { entryFailure, openEntry } from "../core/read-entry.ts";
import type { KeptBodies } from "./last-good/kept-bodies.ts";
import type { StoreReader } from "./store-reader.ts";

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

export function createBodyStreams(store: StoreReader, keptBodies?: KeptBodies): BodyStreams {
  // A large file of a local store is hashed once. Hashing it for every reader would be most of the work.
  const verified = new LRUCache<ObjectKey, string>({ max: 1000 });
  return {
    async open(entry, signal) {
      const { key, sha256 } = entry;
      const kept = await keptBodies?.open(entry);
      if (keptBodies !== undefined && kept !== undefined) {
        const source = checked(kept, entry, signal);
        return async (take) => {
          try {
            await source(take);
          } catch (error) {
            // A file that was damaged after it had been checked fails for one reader and is checked again for the next.
            if (!signal.aborted) keptBodies.doubt(entry);
            throw error;
          }
        };
      }
      const found = await openEntry(store, entry, signal);
      if (found.kind === "fault") throw entryFailure(entry, found.fault);
      const { body, isLocal, etag, forEachChunk } = found;
      const version = `${etag} ${sha256}`;
      if (isLocal && forEachChunk !== undefined && verified.get(key) === version) return forEachChunk;
      const source = checked(body, entry, signal);
      return async (take) => {
        await source(take);
        verified.set(key, version);
        keptBodies?.keepLarge(entry);
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
