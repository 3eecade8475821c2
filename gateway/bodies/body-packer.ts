import { once } from "node:events";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { ResponseEntry } from "../../core/documents/manifest.ts";
import { withCallDeadline } from "../deadline.ts";
import { type BodyOpener, type ChunkSource, ownBytes, written } from "./body-stream.ts";
import { type Asker, FairShares } from "./fair-shares.ts";

/** Makes gzip forms; `null` when the gzip form is not worth sending. Tenants take turns (W187). */
export type BodyPacker = ReturnType<typeof createBodyPacker>;

/** `timeoutMs`: how long packing one body of the store may take, once it has begun. */
export function createBodyPacker(open: BodyOpener, reads: FairShares, timeoutMs: number) {
  // Only one large body is packed at a time, so that other requests keep a processor core. Bodies in memory
  // have turns of their own, since bodies from the store may arrive slowly: of those, one tenant packs one,
  // so that another may pack meanwhile.
  const inMemory = new FairShares(1);
  const fromStore = new FairShares(2);

  async function packWhole(identity: Buffer): Promise<Buffer | null> {
    const packed = await gzipBytes(identity);
    return packed.length < identity.length ? ownBytes(packed) : null;
  }

  return {
    /** Packs a body in memory; `null` when the gzip form is not smaller. */
    packBytes: (asker: Asker, identity: Buffer): Promise<Buffer | null> =>
      identity.length <= smallBytes
        ? packWhole(identity)
        : inMemory.during(asker, "Packing", undefined, () => packWhole(identity)),

    /** Packs a body too large for the cache; `null` when the gzip form has more than `maxBytes`, too. */
    packEntry(asker: Asker, entry: ResponseEntry, maxBytes: number): Promise<Buffer | null> {
      const what = `Packing ${entry.key}`;
      const pack = async (signal: AbortSignal): Promise<Buffer | null> =>
        packedStream(await open(entry, signal), maxBytes, signal);
      const read = (waitedMs: number) => withCallDeadline(timeoutMs - waitedMs, what, pack);
      return fromStore.during(asker, what, undefined, () => reads.during(asker, what, undefined, read));
    },
  };
}

/** A body of this size is packed in about a millisecond. */
export const smallBytes = 64 * 1024;
const gzipBytes = promisify(gzip);

/**
 * The gzip form of a body of which only one chunk is in memory at a time; `null` as soon as the gzip form has
 * more than `maxBytes`. Throws what the source throws, so a body that fails its check gives no gzip form.
 */
export async function packedStream(
  forEachChunk: ChunkSource,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const packer = createGzip({ level: packingLevel });
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Errors are handled where they reject: in the writes, and in the wait for the end.
  packer.on("error", () => {});
  packer.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else packer.destroy(new Error(`more than ${maxBytes} bytes`));
  });
  try {
    await forEachChunk((chunk) => written(packer, chunk, signal));
    const ended = once(packer, "end", { signal });
    packer.end();
    await ended;
    return Buffer.concat(chunks, bytes);
  } catch (error) {
    if (bytes > maxBytes) return null;
    throw error;
  } finally {
    packer.destroy();
  }
}

/** On a list of 25 MB this level saves nine tenths of what zlib's default saves, in half the time. */
const packingLevel = 3;
