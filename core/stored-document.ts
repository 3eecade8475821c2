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

export function schemaFailure(what: string, violation: string): Failure {
  return new Failure("corrupt_document", `${what} does not fit its schema: ${violation}.`);
}

/** Minified UTF-8 JSON: the form of every stored document. */
export function documentBytes(document: object): Buffer {
  return Buffer.from(JSON.stringify(document), "utf8");
}

/** Parses any JSON. Throws `corrupt_document`. */
export function parseJson(text: string, what: string): unknown {
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

export function notJson(what: string, cause?: unknown): Failure {
  return new Failure("corrupt_document", `${what} is not JSON in UTF-8.`, { cause });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
