import { createHash } from "node:crypto";
import type { Writable } from "node:stream";
import { LRUCache } from "lru-cache";
import { entryFailure, openEntry, type ResponseEntry, readEntry } from "../../core/documents/manifest.ts";
import { Failure } from "../../core/ground/failure.ts";
import type { ObjectKey } from "../../core/ground/object-key.ts";
import { piecesOf } from "../../core/store/object-body.ts";
import type { ETag } from "../../core/store/object-store.ts";
import { withCallDeadline } from "../deadline.ts";
import type { StoreReading } from "../known/confirmed.ts";
import type { StoreReader } from "../known/store-reader.ts";

/**
 * Gives a body to `take`, chunk by chunk. A chunk belongs to `take` until `take` has resolved. Throws when
 * the body is wrong or breaks off; the last bytes were not given then. Throws also what `take` throws.
 */
export type ChunkSource = (take: (chunk: Buffer) => Promise<void>) => Promise<void>;

/** Opens a body too large for the cache, checked while it is sent (P17). The signal ends the reading. */
export type BodyOpener = (entry: ResponseEntry, signal: AbortSignal) => Promise<ChunkSource>;

/** `callTimeoutMs`: how long reading a file to check it may take. */
type BodySources = Pick<StoreReading, "store" | "callTimeoutMs" | "mirror">;

export function createBodyOpener(sources: BodySources): BodyOpener {
  const { store } = sources;
  const verified = new VerifiedFiles(sources);
  /** Versions that a reader is streaming and hashing now. */
  const beingRead = new Set<string>();
  return async (entry, signal) => {
    const found = await openEntry(store, entry, signal);
    if (found.kind === "fault") throw entryFailure(entry, found.fault);
    const version = versionOf(found.etag, entry);
    const isLocal = found.forEachChunk !== undefined;
    // The first reader hashes what it sends. Others share one reading, since the first may be slow.
    if (isLocal && !verified.has(entry, version) && beingRead.has(version))
      await verified.verifyOnce(entry, version);
    if (isLocal && verified.has(entry, version)) return found.forEachChunk;
    // The stream of a local file ignores the signal.
    if (signal.aborted) found.body.destroy();
    beingRead.add(version);
    return async (take) => {
      try {
        for await (const chunk of verifiedChunks(piecesOf(found), entry)) await take(chunk);
      } finally {
        beingRead.delete(version);
      }
      verified.add(entry, version);
    };
  };
}

const versionOf = (etag: ETag, { sha256 }: ResponseEntry): string => `${etag} ${sha256}`;

/**
 * The versions of files whose bytes were found right. A large file of a local store is hashed once, since
 * hashing it for every reader would be most of the work, and is kept in the last good copy then.
 */
class VerifiedFiles {
  readonly #sources: BodySources;
  readonly #versions = new LRUCache<ObjectKey, string>({ max: 1000 });
  readonly #verifying = new Map<string, Promise<void>>();

  constructor(sources: BodySources) {
    this.#sources = sources;
  }

  has({ key }: ResponseEntry, version: string): boolean {
    return this.#versions.get(key) === version;
  }

  add(entry: ResponseEntry, version: string): void {
    // The body is too large to be kept in memory for its copy, so the store is read again for that.
    if (!this.has(entry, version))
      this.#sources.mirror?.keepBody(entry, () =>
        this.#withDeadline(entry, (signal) => checkedBody(this.#sources.store, entry, signal)),
      );
    this.#versions.set(entry.key, version);
  }

  /** Simultaneous readers share one reading. Never rejects: whoever reads a wrong file finds it again. */
  verifyOnce(entry: ResponseEntry, version: string): Promise<void> {
    const begin = (): Promise<void> =>
      this.#verify(entry, version)
        .catch(() => {})
        .finally(() => this.#verifying.delete(version));
    const joined = this.#verifying.get(version) ?? begin();
    this.#verifying.set(version, joined);
    return joined;
  }

  async #verify(entry: ResponseEntry, version: string): Promise<void> {
    const hash = createHash("sha256");
    await this.#withDeadline(entry, async (signal) => {
      const found = await openEntry(this.#sources.store, entry, signal);
      if (found.kind === "fault") return;
      if (versionOf(found.etag, entry) !== version) found.body.destroy();
      else
        await found.forEachChunk?.(async (chunk) => {
          signal.throwIfAborted();
          hash.update(chunk);
        });
    });
    if (hash.digest("hex") === entry.sha256) this.add(entry, version);
  }

  #withDeadline<Result>(
    { key }: ResponseEntry,
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return withCallDeadline(this.#sources.callTimeoutMs, `Reading ${key}`, call);
  }
}

/**
 * Passes each chunk on when the next one has arrived. The last chunk is passed on only when size and digest
 * are those of the entry. Otherwise the loop fails, and the client sees a body that ends early, not a wrong
 * one.
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
 * W194: lets pieces of streams pass, in order, at most so many bytes in one turn of the event loop. A
 * connection alone gives up to 2 MB in one turn if its reader is fast, and hundreds of them would keep
 * everybody else waiting.
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

/** A copy of a slice of a shared block: a long-lived slice would keep the whole block in memory. */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
