import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { Failure } from "./failure.ts";
import type { ObjectBody, StoredObject } from "./object-store.ts";

/** SHA-256 as lower-case hex: the form of every digest in stored documents. */
export function sha256Hex(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

export function bytesBody(bytes: Buffer): ObjectBody {
  return { bytes, size: bytes.length, sha256: sha256Hex(bytes) };
}

/** What is known of an object before its body is read. */
export type ObjectHead = Omit<StoredObject, "body" | "forEachChunk" | "whole">;

/** An object whose body was read. Few callers want a stream of it, and making one takes as long as reading a small file. */
export function objectInMemory(head: ObjectHead, bytes: Buffer): StoredObject {
  let body: Readable | undefined;
  return {
    ...head,
    whole: async () => bytes,
    get body() {
      body ??= Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false });
      return body;
    },
  };
}

/** The bytes of an object: without the cost of a stream where the driver has them at once. Leaving the loop ends the reading. */
export async function* piecesOf(object: Pick<StoredObject, "body" | "whole">): AsyncGenerator<Buffer> {
  if (object.whole === undefined) yield* object.body as AsyncIterable<Buffer>;
  else yield await object.whole();
}

/**
 * Reads a body to its end. Throws `corrupt_document` when it has more than `maxBytes`. No valid document is that large, and a
 * body without end must not fill the memory.
 */
export async function readBody(
  object: Pick<StoredObject, "body" | "whole">,
  maxBytes: number,
  what: string,
): Promise<Buffer> {
  return await joinedPieces(piecesOf(object), maxBytes, what);
}

/** The pieces as one buffer. Throws as `readBody` does. */
export async function joinedPieces(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  what: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of pieces) {
    size += chunk.length;
    if (size > maxBytes) throw new Failure("corrupt_document", `${what} is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] instanceof Buffer ? chunks[0] : Buffer.concat(chunks, size);
}
