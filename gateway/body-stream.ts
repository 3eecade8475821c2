import { createHash } from "node:crypto";
import type { Writable } from "node:stream";
import { LRUCache } from "lru-cache";
import { Failure } from "../core/failure.ts";
import { entryFailure, openEntry, type ResponseEntry, readEntry } from "../core/manifest.ts";
import { piecesOf } from "../core/object-body.ts";
import type { ObjectKey } from "../core/object-key.ts";
import { withCallDeadline } from "./deadline.ts";
import type { Mirror } from "./mirror.ts";
import type { StoreReader } from "./store-watch.ts";

/**
 * Gives a body to `take`, chunk by chunk. A chunk belongs to `take` until `take` has resolved. Throws when the body is wrong
 * or breaks off; the last bytes were not given to `take` then. Throws also what `take` throws.
 */
export type ChunkSource = (take: (chunk: Buffer) => Promise<void>) => Promise<void>;

/** Opens a body too large for the cache, which is checked while it is sent (P17). Aborting the signal ends the reading. */
export type BodyOpener = (entry: ResponseEntry, signal: AbortSignal) => Promise<ChunkSource>;

export function createBodyOpener(
  store: StoreReader,
  callTimeoutMs: number,
  mirror?: Pick<Mirror, "keepBody">,
): BodyOpener {
  // A large file of a local store is hashed once. Hashing it for every reader would be most of the work.
  const verified = new LRUCache<ObjectKey, string>({ max: 1000 });
  const verifying = new Map<string, Promise<void>>();
  /** Versions that a reader is streaming and hashing now. */
  const beingRead = new Set<string>();

  /** The body is too large to be kept in memory for its copy, so the store is read again for that. */
  function keep(entry: ResponseEntry): void {
    mirror?.keepBody(entry, () =>
      withCallDeadline(callTimeoutMs, `Reading ${entry.key}`, (signal) => checkedBody(store, entry, signal)),
    );
  }

  /** Notes the file's version if its bytes are right. A wrong file is found again, by whoever reads it. */
  async function verify(entry: ResponseEntry, version: string): Promise<void> {
    const hash = createHash("sha256");
    await withCallDeadline(callTimeoutMs, `Reading ${entry.key}`, async (signal) => {
      const found = await openEntry(store, entry, signal);
      if (found.kind === "fault") return;
      if (`${found.etag} ${entry.sha256}` !== version) found.body.destroy();
      else
        await found.forEachChunk?.(async (chunk) => {
          signal.throwIfAborted();
          hash.update(chunk);
        });
    });
    if (hash.digest("hex") !== entry.sha256) return;
    keep(entry);
    verified.set(entry.key, version);
  }

  /** Readers that come at the same time share one reading of the file. Never rejects. */
  function verifiedOnce(entry: ResponseEntry, version: string): Promise<void> {
    const begin = (): Promise<void> =>
      verify(entry, version)
        .catch(() => {})
        .finally(() => verifying.delete(version));
    const joined = verifying.get(version) ?? begin();
    verifying.set(version, joined);
    return joined;
  }

  return async (entry, signal) => {
    const { key, sha256 } = entry;
    const found = await openEntry(store, entry, signal);
    if (found.kind === "fault") throw entryFailure(entry, found.fault);
    const version = `${found.etag} ${sha256}`;
    const isLocal = found.forEachChunk !== undefined;
    // The first reader hashes what it sends. Others that come meanwhile share one reading, since it may be slow.
    if (isLocal && verified.get(key) !== version && beingRead.has(version))
      await verifiedOnce(entry, version);
    if (isLocal && verified.get(key) === version) return found.forEachChunk;
    // The stream of a local file ignores the signal.
    if (signal.aborted) found.body.destroy();
    beingRead.add(version);
    return async (take) => {
      try {
        for await (const chunk of verifiedChunks(piecesOf(found), entry)) await take(chunk);
      } finally {
        beingRead.delete(version);
      }
      if (verified.get(key) !== version) keep(entry);
      verified.set(key, version);
    };
  };
}

/**
 * Passes each chunk on when the next one has arrived. The last chunk is passed on only when size and digest are those of the
 * entry. Otherwise the loop fails, and the client sees a body that ends too early instead of a wrong one.
 */
export async function* verifiedChunks(
  chunks: AsyncIterable<Buffer>,
  { key, size, sha256 }: ResponseEntry,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let seen = 0;
  let held: Buffer | undefined;
  for await (const chunk of chunks) {
    // An empty chunk at the end would release the last chunk before the check.
    if (chunk.length === 0) continue;
    seen += chunk.length;
    if (seen > size) throw corrupt(`${key} is longer than its ${size} bytes.`);
    await ownTurn(chunk.length);
    hash.update(chunk);
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (seen !== size) throw corrupt(`${key} ended after ${seen} of ${size} bytes.`);
  if (hash.digest("hex") !== sha256) throw corrupt(`${key} has not the digest of its manifest.`);
  if (held !== undefined) yield held;
}

/**
 * W194: lets pieces of streams pass, in order, at most so many bytes in one turn of the event loop. A connection alone gives up to
 * 2 MB in one turn if its reader is fast, and hundreds of them would keep everybody else waiting.
 */
export function createTurns(maxBytes: number): (bytes: number) => Promise<void> {
  const waiting: { readonly bytes: number; readonly begin: () => void }[] = [];

  function passSome(): void {
    for (let bytes = 0; bytes < maxBytes; ) {
      const next = waiting.shift();
      if (next === undefined) return;
      bytes += next.bytes;
      next.begin();
    }
    if (waiting.length > 0) setImmediate(passSome);
  }

  return (bytes) =>
    new Promise((begin) => {
      if (waiting.push({ bytes, begin }) === 1) setImmediate(passSome);
    });
}

/** Hashing and sending so much takes one or two milliseconds. */
const ownTurn = createTurns(512 * 1024);

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

/** The bytes that the entry describes. Throws when the store has other bytes (P17, W16). */
export async function checkedBody(
  store: StoreReader,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<Buffer> {
  let whole: Buffer | undefined;
  let at = 0;
  const take = (piece: Buffer): void => {
    if (piece.length === entry.size) whole = ownBytes(piece);
    else {
      // Joining the pieces at the end would take the memory twice.
      whole ??= Buffer.allocUnsafeSlow(entry.size);
      at += piece.copy(whole, at);
    }
  };
  const fault = await readEntry(store, entry, signal, take, entry.size);
  if (fault !== undefined) throw entryFailure(entry, fault);
  return whole ?? Buffer.of();
}

/** A copy, if the buffer is a slice of a shared block, since a long-lived slice would keep the whole block in memory. */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
