import type { ResponseEntry } from "../core/manifest.ts";
import { entryFailure, readEntry } from "../core/read-entry.ts";
import type { StoreReader } from "./store-reader.ts";

/** The bytes that a manifest's entry describes. Throws when the store has other bytes (P17, W17). */
export async function verifiedBody(
  store: StoreReader,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const fault = await readEntry(store, entry, signal, (piece) => pieces.push(piece));
  if (fault !== undefined) throw entryFailure(entry, fault);
  return ownBytes(pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces));
}

/** A copy, if the buffer is a slice of a shared block, since a long-lived slice would keep the whole block in memory. */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
