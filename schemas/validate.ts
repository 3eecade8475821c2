import { type CompiledError, type Violation, violation } from "./violation.ts";

/** A validator of `./generated`. The function's `errors` are those of its last call. */
export interface CompiledValidator<Document> {
  (value: unknown): value is Document;
  errors?: readonly CompiledError[] | null;
}

export type Validation<Document> =
  | { readonly valid: true; readonly document: Document }
  /** The first fault. It is enough to refuse a document, and a hostile document must not cost more than a good one. */
  | { readonly valid: false; readonly violation: Violation };

/**
 * Checks a value that `JSON.parse` returned against its schema. Other values must not be checked here: a `Date` or an object with
 * `toJSON` would be accepted as an object and then written as something else.
 */
export function validate<Document>(
  isDocument: CompiledValidator<Document>,
  value: unknown,
): Validation<Document> {
  if (isDocument(value)) return { valid: true, document: value };
  return { valid: false, violation: violation(isDocument.errors ?? [], value) };
}
