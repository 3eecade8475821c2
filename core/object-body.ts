import { hash } from "node:crypto";
import type { Readable } from "node:stream";
import { Failure } from "./failure.ts";
import type { ObjectBody } from "./object-store.ts";

/** SHA-256 as lower-case hex: the form of every digest in stored documents. */
export function sha256Hex(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

export function bytesBody(bytes: Buffer): ObjectBody {
  return { bytes, size: bytes.length, sha256: sha256Hex(bytes) };
}

/**
 * Reads a body to its end. Throws `corrupt_document` when it has more than `maxBytes`. No valid document is that large, and a
 * body without end must not fill the memory.
 */
export async function readBody(body: Readable, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the stream and its connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Failure("corrupt_document", `${what} is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}
