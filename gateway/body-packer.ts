import { once } from "node:events";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import { createSlots } from "../core/bounded-work.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import { type BodyStreams, type ChunkSource, written } from "./body-stream.ts";
import { withCallDeadline } from "./deadline.ts";
import { ownBytes } from "./verified-body.ts";

/** Makes gzip forms; `null` where there is none that is worth sending. Of large bodies one at a time. */
export interface BodyPacker {
  /** Of a body in memory, unless it would not be smaller. */
  packBytes(identity: Buffer): Promise<Buffer | null>;
  /** Of a body that is too large for memory, unless this form is, too: larger than `maxBytes`. */
  packEntry(entry: ResponseEntry, maxBytes: number, signal: AbortSignal): Promise<Buffer | null>;
}

export function createBodyPacker(options: {
  readonly streams: BodyStreams;
  /** Until the packing of a body is given up, once it has begun. */
  readonly timeoutMs: number;
}): BodyPacker {
  const { streams, timeoutMs } = options;
  // One at a time, so that all other requests keep a core. Bodies in memory do not wait for those from the store, which
  // come as fast as the store lets them.
  const inMemory = createSlots(1);
  const fromStore = createSlots(1);

  async function packWhole(identity: Buffer): Promise<Buffer | null> {
    const packed = await gzipBytes(identity);
    return packed.length < identity.length ? ownBytes(packed) : null;
  }

  return {
    packBytes: (identity) =>
      identity.length <= smallBytes
        ? packWhole(identity)
        : inMemory("Packing", undefined, () => packWhole(identity)),

    packEntry(entry, maxBytes, signal) {
      const what = `Packing ${entry.key}`;
      return fromStore(what, signal, () =>
        withCallDeadline(timeoutMs, what, async (expired) => {
          const ends = AbortSignal.any([signal, expired]);
          return packedStream(await streams.open(entry, ends), maxBytes, ends);
        }),
      );
    },
  };
}

/** Packed in about a millisecond. */
const smallBytes = 64 * 1024;
const gzipBytes = promisify(gzip);

/**
 * The gzip form of a body that is not held itself: no more of it than a chunk is in memory at a time. `null` as soon as
 * it has more than `maxBytes`. Throws what the source throws, so bytes of a body that proves wrong are not given out.
 */
export async function packedStream(
  forEachChunk: ChunkSource,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const packer = createGzip({ level: packingLevel });
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Its errors come out of the writes, and out of the wait for the end.
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

/** Of a list of 25 MB, nine tenths of what zlib's usual level saves, in half of its time. */
const packingLevel = 3;
