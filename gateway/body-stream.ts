import { createHash } from "node:crypto";
import { Failure } from "../core/failure.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import type { StoreReader } from "./store-reader.ts";

/**
 * The chunks of a body too large to be held. Resolves when the first of them can be sent; until then nothing is
 * promised to the client. Aborting the signal ends it.
 */
export async function openBodyStream(
  store: StoreReader,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { key, size } = entry;
  const result = await store.get(key, { signal });
  if (result.kind !== "object") {
    throw new Failure("corrupt_document", `${key} is missing though the live manifest names it.`);
  }
  if (result.size !== size) {
    result.body.destroy();
    throw new Failure("corrupt_document", `${key} has ${result.size} bytes instead of ${size}.`);
  }
  const chunks = verifiedChunks(result.body, entry);
  return resumed(await chunks.next(), chunks);
}

/**
 * Passes each chunk on when the next has arrived. The last is let go only when size and digest are the entry's;
 * else the generator throws, and the client sees a body that ends too early instead of a wrong one.
 */
export async function* verifiedChunks(
  source: AsyncIterable<Uint8Array>,
  entry: ResponseEntry,
): AsyncGenerator<Uint8Array> {
  const { key, size, sha256 } = entry;
  const hash = createHash("sha256");
  let seen = 0;
  let held: Uint8Array | undefined;
  for await (const chunk of source) {
    // An empty chunk at the end would set the last byte free.
    if (chunk.length === 0) continue;
    seen += chunk.length;
    if (seen > size) throw new Failure("corrupt_document", `${key} is longer than its ${size} bytes.`);
    hash.update(chunk);
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (seen !== size) throw new Failure("corrupt_document", `${key} ended after ${seen} of ${size} bytes.`);
  if (hash.digest("hex") !== sha256) {
    throw new Failure("corrupt_document", `${key} has not the digest of its manifest.`);
  }
  if (held !== undefined) yield held;
}

async function* resumed(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
