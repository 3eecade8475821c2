import { createHash } from "node:crypto";
import { once } from "node:events";
import { pipeline, type Readable, Transform } from "node:stream";
import { LRUCache } from "lru-cache";
import { Failure } from "../core/failure.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import type { ObjectKey } from "../core/object-key.ts";
import type { StoreReader } from "./store-reader.ts";

/** Bodies too large to be held, checked on their way. */
export interface BodyStreams {
  /**
   * Resolves when the first bytes can be sent; until then nothing is promised to the client. Aborting the signal ends
   * the stream.
   */
  open(entry: ResponseEntry, signal: AbortSignal): Promise<Readable>;
}

export function createBodyStreams(store: StoreReader): BodyStreams {
  // A large file of this machine is hashed once, not for every reader: that would be most of the work.
  const verified = new LRUCache<ObjectKey, string>({ max: 1000 });
  return {
    async open(entry, signal) {
      const { key, size, sha256 } = entry;
      const result = await store.get(key, { signal });
      if (result.kind !== "object") {
        throw corrupt(`${key} is missing though the live manifest names it.`);
      }
      if (result.size !== size) {
        result.body.destroy();
        throw corrupt(`${key} has ${result.size} bytes instead of ${size}.`);
      }
      const version = `${result.etag} ${sha256}`;
      const isVerified = result.isLocal && verified.get(key) === version;
      const body = verifyingStream(entry, isVerified ? "length" : "content");
      // Errors show on `body`, and stay there until somebody looks: one may come before the response has begun.
      body.on("error", () => {});
      pipeline(result.body, body, (error) => {
        if (!error) verified.set(key, version);
      });
      await once(body, "readable");
      return body;
    },
  };
}

/**
 * Passes each chunk on when the next has arrived. The last is let go only when size and digest are the entry's (`length`:
 * the size alone); else the stream fails, and the client sees a body that ends too early instead of a wrong one.
 */
export function verifyingStream({ key, size, sha256 }: ResponseEntry, what: "length" | "content"): Transform {
  const hash = what === "content" ? createHash("sha256") : undefined;
  let seen = 0;
  let held: Buffer | undefined;
  return new Transform({
    highWaterMark: 64 * 1024,
    transform(chunk: Buffer, _encoding, done) {
      // An empty chunk at the end would set the last byte free.
      if (chunk.length === 0) return done();
      seen += chunk.length;
      if (seen > size) return done(corrupt(`${key} is longer than its ${size} bytes.`));
      hash?.update(chunk);
      const released = held;
      held = chunk;
      done(null, released);
    },
    flush(done) {
      if (seen !== size) return done(corrupt(`${key} ended after ${seen} of ${size} bytes.`));
      if (hash !== undefined && hash.digest("hex") !== sha256) {
        return done(corrupt(`${key} has not the digest of its manifest.`));
      }
      done(null, held);
    },
  });
}

function corrupt(message: string): Failure {
  return new Failure("corrupt_document", message);
}
