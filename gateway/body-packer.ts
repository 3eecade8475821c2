import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ResponseEntry } from "../core/manifest.ts";
import { createSlots } from "../core/slots.ts";
import type { BodyStreams } from "./body-stream.ts";
import { withCallDeadline } from "./deadline.ts";
import { packedStream } from "./packed-stream.ts";
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
