import { type CompiledError, type Violation, violation } from "./violation.ts";

/** A validator of `./generated`: the errors of its last call hang on the function. */
export interface CompiledValidator<Document> {
  (value: unknown): value is Document;
  errors?: readonly CompiledError[] | null;
}

export type Validation<Document> =
  | { readonly valid: true; readonly document: Document }
  /** The first fault: one is enough to refuse a document, and a hostile one must not cost more than a good one. */
  | { readonly valid: false; readonly violation: Violation };

/**
 * Checks a value that `JSON.parse` returned against its schema. Values from elsewhere are no documents: a `Date` or an
 * object with `toJSON` passes as an object and is written as something else.
 */
export function validate<Document>(
  isDocument: CompiledValidator<Document>,
  value: unknown,
): Validation<Document> {
  if (isDocument(value)) return { valid: true, document: value };
  return { valid: false, violation: violation(isDocument.errors ?? [], value) };
}
