import { setImmediate as nextTurn } from "node:timers/promises";

/** Each chunk in a turn of the event loop of its own, as a store delivers them. */
export async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await nextTurn();
    yield bytes.subarray(at, at + size);
  }
}
