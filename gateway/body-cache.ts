import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import { Failure } from "../core/failure.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import { readBody, sha256Hex } from "../core/object-body.ts";
import type { ObjectKey } from "../core/object-key.ts";
import { withDeadline } from "./deadline.ts";
import type { StoreReader } from "./store-reader.ts";

/** The bytes of one response, held to their manifest's size and digest before they got in here. */
export interface CachedBody {
  readonly objectKey: ObjectKey;
  readonly sha256: string;
  readonly identity: Buffer;
  /** Made once, when first asked for; `null` when it would not be smaller. */
  gzip: Buffer | null | undefined;
  /** That of the last live snapshot whose manifest was seen to name these bytes. */
  generation: number;
}

/**
 * Responses in memory, bounded by bytes. A slot stands for a tenant's resource: what an older snapshot answered
 * makes room for the new answer by itself. Bytes are given out only for a generation whose manifest names them, so
 * no response ever mixes snapshots.
 */
export interface BodyCache {
  /** Bodies above this size are not for the cache. */
  readonly maxBodyBytes: number;
  /** The body if it is in memory and known to belong to the generation. */
  held(slot: string, generation: number): CachedBody | undefined;
  /** The body that the generation's manifest describes, from memory or, once for all who wait, from the store. */
  load(slot: string, generation: number, entry: ResponseEntry): Promise<CachedBody>;
  /** The same with its gzip form made. */
  loadPacked(slot: string, generation: number, entry: ResponseEntry): Promise<CachedBody>;
  /** Bytes held. */
  size(): number;
}

export function createBodyCache(options: {
  readonly store: StoreReader;
  readonly maxBytes: number;
  /** Until a reading is given up. */
  readonly callTimeoutMs: number;
  readonly onLookup: (isHit: boolean) => void;
}): BodyCache {
  const { store, maxBytes, callTimeoutMs, onLookup } = options;
  const bodies = new LRUCache<string, CachedBody>({ maxSize: maxBytes, sizeCalculation: heldBytes });
  const loading = new Map<string, Promise<CachedBody>>();
  const packing = new Map<string, Promise<CachedBody>>();

  async function load(slot: string, generation: number, entry: ResponseEntry): Promise<CachedBody> {
    const known = bodies.get(slot);
    const isHit = known?.sha256 === entry.sha256;
    onLookup(isHit);
    const body = isHit ? known : await shared(loading, `${slot} ${entry.sha256}`, () => read(slot, entry));
    body.generation = generation;
    return body;
  }

  async function read(slot: string, entry: ResponseEntry): Promise<CachedBody> {
    const { key: objectKey, sha256 } = entry;
    const identity = await withDeadline(callTimeoutMs, `Reading ${objectKey}`, (signal) =>
      verifiedBytes(store, entry, signal),
    );
    const body: CachedBody = { objectKey, sha256, identity, gzip: undefined, generation: -1 };
    bodies.set(slot, body);
    return body;
  }

  async function pack(slot: string, body: CachedBody): Promise<CachedBody> {
    const packed = await gzipBytes(body.identity);
    body.gzip = packed.length < body.identity.length ? ownBytes(packed) : null;
    // Filed again, so that the cache counts the new bytes too; unless another body took the slot meanwhile.
    if (bodies.peek(slot) === body) bodies.set(slot, body);
    return body;
  }

  return {
    maxBodyBytes: Math.floor(maxBytes / 16),

    held(slot, generation) {
      const body = bodies.get(slot);
      if (body?.generation !== generation) return undefined;
      onLookup(true);
      return body;
    },

    load,

    async loadPacked(slot, generation, entry) {
      const body = await load(slot, generation, entry);
      if (body.gzip !== undefined) return body;
      return shared(packing, `${slot} ${body.sha256}`, () => pack(slot, body));
    },

    size: () => bodies.calculatedSize,
  };
}

/** What an entry costs beside its bytes: keys, objects, the map's slot. */
const overheadBytes = 512;
const gzipBytes = promisify(gzip);

function heldBytes(body: CachedBody): number {
  return body.identity.length + (body.gzip?.length ?? 0) + overheadBytes;
}

async function verifiedBytes(store: StoreReader, entry: ResponseEntry, signal: AbortSignal): Promise<Buffer> {
  const { key, size, sha256 } = entry;
  const result = await store.get(key, { signal });
  if (result.kind !== "object") {
    throw new Failure("corrupt_document", `${key} is missing though the live manifest names it.`);
  }
  if (result.size !== size) {
    result.body.destroy();
    throw new Failure("corrupt_document", `${key} has ${result.size} bytes instead of ${size}.`);
  }
  const bytes = await readBody(result.body, size, key);
  if (bytes.length !== size) {
    throw new Failure("corrupt_document", `${key} ended after ${bytes.length} of ${size} bytes.`);
  }
  if (sha256Hex(bytes) !== sha256)
    throw new Failure("corrupt_document", `${key} has not its manifest's digest.`);
  return ownBytes(bytes);
}

/** Small buffers are slices of a shared block, all of which a long-lived slice would keep in memory. */
function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** Runs the work once for all callers that ask for the same while it is under way. */
function shared<Result>(
  running: Map<string, Promise<Result>>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const known = running.get(key);
  if (known !== undefined) return known;
  const promise = work().finally(() => running.delete(key));
  running.set(key, promise);
  return promise;
}
