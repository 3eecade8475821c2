import { patternPhrases } from "./generated/pattern-phrases.ts";

/** A validator of `./generated`. The function's `errors` are those of its last call. */
export interface CompiledValidator<Document> {
  (value: unknown): value is Document;
  errors?: readonly CompiledError[] | null;
}

export type Validation<Document> =
  | { readonly valid: true; readonly document: Document }
  /**
   * The first fault. It is enough to refuse a document, and a hostile document must not cost more than a good
   * one.
   */
  | { readonly valid: false; readonly violation: Violation };

/**
 * Checks a value that `JSON.parse` returned against its schema. Other values must not be checked here: a
 * `Date` or an object with `toJSON` would be accepted as an object and then written as something else.
 */
export function validate<Document>(
  isDocument: CompiledValidator<Document>,
  value: unknown,
): Validation<Document> {
  if (isDocument(value)) return { valid: true, document: value };
  return { valid: false, violation: violation(isDocument.errors ?? [], value) };
}

/** How a document breaks its schema. */
export interface Violation {
  /**
   * JSON pointer (RFC 6901) to the wrong value, or to the object with a key too many or too few. Empty for
   * the whole document.
   */
  readonly path: string;
  /** Completes "must ...". */
  readonly expected: string;
  /** The wrong value on one line, at most 60 characters. Arrays and objects are only named. */
  readonly found: string;
  /** The violation as one sentence, without a full stop. */
  readonly message: string;
}

/** An error as compiled validators report it. */
export interface CompiledError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Makes a violation of a failed validator's errors. */
function violation(errors: readonly CompiledError[], document: unknown): Violation {
  const told = mostTelling(errors);
  const path = told[0]?.instancePath ?? "";
  const expected = [...new Set(told.map(expectation))].join(" or ").replaceAll(" or be ", " or ");
  const found = shown(valueAt(document, path));
  const where = path === "" ? "the document" : path;
  const butIs = expected.startsWith("be ") ? `, but is ${found}` : "";
  return { path, expected, found, message: `${where} must ${expected}${butIs}` };
}

/**
 * Chooses the most helpful errors. A value that fits none of several alternatives gives one error per
 * alternative, and one that only says so. The deepest error comes from the alternative that the value
 * resembles most. Among equally deep errors, the one that the fewest alternatives share is best: with the
 * right code and a wrong message, six of the seven alternatives report the code. Last, other errors are
 * better than a wrong type: where an object or `null` is allowed, an object is judged as an object.
 */
function mostTelling(errors: readonly CompiledError[]): readonly CompiledError[] {
  const groups = new Map<string, CompiledError[]>();
  for (const error of errors) {
    if (error.keyword === "anyOf" || error.keyword === "oneOf") continue;
    const place = `${error.keyword} ${error.instancePath}`;
    groups.set(place, [...(groups.get(place) ?? []), error]);
  }
  const [best] = [...groups.values()].sort(
    (one, other) =>
      depth(other) - depth(one) ||
      one.length - other.length ||
      Number(isOfType(one)) - Number(isOfType(other)),
  );
  return best ?? [];
}

function depth(group: readonly CompiledError[]): number {
  return group[0]?.instancePath.split("/").length ?? 0;
}

function isOfType(group: readonly CompiledError[]): boolean {
  return group[0]?.keyword === "type";
}

function expectation({ keyword, params }: CompiledError): string {
  switch (keyword) {
    case "additionalProperties":
      return `have no key ${shown(params.additionalProperty)}`;
    case "required":
      return `have the key ${shown(params.missingProperty)}`;
    case "uniqueItems":
      return `have no element twice, but elements ${params.i} and ${params.j} are equal`;
    case "type":
      return `be ${[params.type].flat().map(typeName).join(" or ")}`;
    case "const":
      return `be ${shown(params.allowedValue)}`;
    case "enum":
      return `be one of ${[params.allowedValues].flat().map(shown).join(", ")}`;
    case "pattern":
      return `be ${patternPhrases.get(String(params.pattern)) ?? `a match of ${params.pattern}`}`;
    default:
      return `be ${params.comparison} ${params.limit}`;
  }
}

function typeName(type: unknown): string {
  return type === "null" ? "null" : `${/^[aeio]/.test(String(type)) ? "an" : "a"} ${type}`;
}

function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  return value;
}

function shown(value: unknown): string {
  // Their content is left out, since it may have megabytes.
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  const json = JSON.stringify(value.slice(0, maxShown));
  const isWhole = value.length <= maxShown && json.length <= maxShown;
  return isWhole ? json : `${json.slice(0, maxShown - 2)}…"`;
}

const maxShown = 60;
