import { setImmediate as turn } from "node:timers/promises";
import { type CompiledValidator, validate } from "../schemas/validate.ts";
import { Failure } from "./failure.ts";

/** Parses a document and checks it against its schema. Throws `corrupt_document`. */
export function parseStoredDocument<Document>(
  bytes: Uint8Array,
  isDocument: CompiledValidator<Document>,
  what: string,
): Document {
  const result = validate(isDocument, parseJson(decoded(bytes, what), what));
  if (result.valid) return result.document;
  throw schemaFailure(what, result.violation.message);
}

function schemaFailure(what: string, violation: string): Failure {
  return new Failure("corrupt_document", `${what} does not fit its schema: ${violation}.`);
}

/**
 * As `parseStoredDocument`, for a document that consists mostly of one list or map under `key`. JSON is parsed at once, since V8
 * takes 3 ms for 1,000 tokens. The check against the schema takes longer, so it goes over the members some at a time, and other
 * work of the process has its turn in between.
 */
export async function parseLargeDocument<Document extends object>(
  bytes: Uint8Array,
  isDocument: CompiledValidator<Document>,
  key: keyof Document & string,
  what: string,
): Promise<Document> {
  const parsed = parseJson(decoded(bytes, what), what);
  const members = parsed !== null && typeof parsed === "object" ? Reflect.get(parsed, key) : undefined;
  const isMap = members !== null && typeof members === "object" && !Array.isArray(members);
  const all: unknown[] = isMap ? Object.entries(members) : Array.isArray(members) ? members : [];
  let document: Document | undefined;
  for (let from = 0; from === 0 || from < all.length; from += membersPerTurn) {
    if (from > 0) await turn();
    const some = all.slice(from, from + membersPerTurn);
    const part = all.length === 0 ? members : isMap ? Object.fromEntries(some as [string, unknown][]) : some;
    const isWhole = some.length === all.length;
    const result = validate(isDocument, isWhole ? parsed : { ...(parsed as object), [key]: part });
    if (!result.valid) throw schemaFailure(what, placed(result.violation.message, key, from));
    document ??= isWhole ? result.document : ({ ...result.document, [key]: members } as Document);
  }
  return document as Document;
}

/** The message with the place in the whole list, since the validator counts from the first of the members that it got. */
function placed(message: string, key: string, from: number): string {
  const path = `/${key}/`;
  const [, number] = message.startsWith(path) ? (/^(\d+)/.exec(message.slice(path.length)) ?? []) : [];
  if (number === undefined) return message;
  return `${path}${from + Number(number)}${message.slice(path.length + number.length)}`;
}

const membersPerTurn = 250;

/** Minified UTF-8 JSON: the form of every stored document. */
export function documentBytes(document: object): Buffer {
  return Buffer.from(JSON.stringify(document), "utf8");
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(what, error);
  }
}

function decoded(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw notJson(what, error);
  }
}

function notJson(what: string, cause?: unknown): Failure {
  return new Failure("corrupt_document", `${what} is not JSON in UTF-8.`, { cause });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
