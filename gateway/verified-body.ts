import { Failure } from "../core/failure.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import { readBody, sha256Hex } from "../core/object-body.ts";
import type { StoreReader } from "./store-reader.ts";

/** The whole bytes that a manifest's entry describes; throws rather than give others (P17, W17). */
export async function verifiedBody(
  store: StoreReader,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<Buffer> {
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
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
