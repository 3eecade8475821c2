import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { type CompiledValidator, validate } from "../../schemas/validate.ts";
import { Failure } from "../ground/failure.ts";
import type { ObjectBody, StoredObject } from "./object-store.ts";

/** SHA-256 as lower-case hex: the form of every digest in stored documents. */
export function sha256Hex(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

export function bytesBody(bytes: Buffer): ObjectBody {
  return { bytes, size: bytes.length, sha256: sha256Hex(bytes) };
}

/** What is known of an object before its body is read. */
export type ObjectHead = Omit<StoredObject, "body" | "forEachChunk" | "whole" | "wholeSha256">;

/** An object whose body was read. A stream, which few want, takes as long as reading a small file. */
export function objectInMemory(head: ObjectHead, bytes: Buffer, sha256?: string): StoredObject {
  let body: Readable | undefined;
  return {
    ...head,
    whole: bytes,
    wholeSha256: sha256,
    get body() {
      body ??= Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false });
      return body;
    },
  };
}

/** The bytes of an object, without a stream where the driver has them. Leaving the loop ends the reading. */
export async function* piecesOf(object: Pick<StoredObject, "body" | "whole">): AsyncGenerator<Buffer> {
  if (object.whole === undefined) yield* object.body as AsyncIterable<Buffer>;
  else yield object.whole;
}

/**
 * Reads a body to its end. Throws `corrupt_document` when it has more than `maxBytes`. No valid document is
 * that large, and a body without end must not fill the memory.
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

/** Parses a document and checks it against its schema. Throws `corrupt_document`. */
export function parseStoredDocument<Document>(
  bytes: Uint8Array,
  isDocument: CompiledValidator<Document>,
  what: string,
): Document {
  return checked(parsedJson(bytes, what), isDocument, what);
}

/**
 * As `parseStoredDocument`, for a document that consists mostly of one list or map under `key`. JSON is
 * parsed at once, since V8 takes 3 ms for 1,000 tokens. The check against the schema takes longer, so it goes
 * over the members some at a time, and other work of the process has its turn in between.
 */
export async function parseLargeDocument<Document extends object>(
  bytes: Uint8Array,
  isDocument: CompiledValidator<Document>,
  key: keyof Document & string,
  what: string,
): Promise<Document> {
  const parsed = parsedJson(bytes, what);
  const members: unknown = Object(parsed)[key];
  const all = Array.isArray(members) ? members : Object.entries(Object(members));
  if (all.length <= membersPerTurn) return checked(parsed, isDocument, what);
  for (let from = 0; from < all.length; from += membersPerTurn) {
    const some = all.slice(from, from + membersPerTurn);
    const part = Array.isArray(members) ? some : Object.fromEntries(some);
    // The check of the whole says where the fault is.
    if (!isDocument({ ...(parsed as Document), [key]: part })) return checked(parsed, isDocument, what);
    await turn();
  }
  return parsed as Document;
}

const membersPerTurn = 250;

/** Minified UTF-8 JSON: the form of every stored document. */
export function documentBytes(document: object): Buffer {
  return Buffer.from(JSON.stringify(document), "utf8");
}

/** A document's bytes. Throws `unrecorded` if its readers would refuse them: then the stored one stays. */
export function withinBound(bytes: Buffer, maxBytes: number, what: string): Buffer {
  if (bytes.length <= maxBytes) return bytes;
  throw new Failure("unrecorded", `${what} would be larger than ${maxBytes} bytes; the stored one stays.`);
}

/**
 * A document with its entries in the list or map that is its last member. It is minified JSON with a line
 * break around each entry, so that `diff` and people can read it. `empty`: the document without entries.
 */
export function linedBytes(empty: object, entries: readonly string[]): Buffer {
  const json = JSON.stringify(empty);
  return Buffer.from(`${json.slice(0, -2)}\n${entries.join(",\n")}\n${json.slice(-2)}`, "utf8");
}

function checked<Document>(value: unknown, isDocument: CompiledValidator<Document>, what: string): Document {
  const result = validate(isDocument, value);
  if (result.valid) return result.document;
  throw new Failure("corrupt_document", `${what} does not fit its schema: ${result.violation.message}.`);
}

function parsedJson(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new Failure("corrupt_document", `${what} is not JSON in UTF-8.`, { cause });
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
