import { patternPhrases } from "./generated/pattern-phrases.ts";

/** How a document breaks its schema. */
export interface Violation {
  /** JSON pointer (RFC 6901) to the offending value, or to the object that has a key too many or too few; empty for the whole. */
  readonly path: string;
  /** Completes "must ...". */
  readonly expected: string;
  /** The offending value on one line, at most 60 characters; arrays and objects are only named. */
  readonly found: string;
  /** All of it in one sentence, without a full stop. */
  readonly message: string;
}

/** An error as compiled validators report it. */
export interface CompiledError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The violation that a failed validator's errors amount to. */
export function violation(errors: readonly CompiledError[], document: unknown): Violation {
  const told = mostTelling(errors);
  const path = told[0]?.instancePath ?? "";
  const expected = [...new Set(told.map(expectation))].join(" or ").replaceAll(" or be ", " or ");
  const found = shown(valueAt(document, path));
  const where = path === "" ? "the document" : path;
  const butIs = expected.startsWith("be ") ? `, but is ${found}` : "";
  return { path, expected, found, message: `${where} must ${expected}${butIs}` };
}

/**
 * A value that fits none of several alternatives leaves one error of each, and one that only says so. The deepest comes
 * from the alternative that the value resembles most. Among equals, an error that fewest alternatives share: with the
 * right code and a wrong message, six of the seven complain of the code. Last, what is more than a wrong type: an object
 * where an object or `null` may stand is judged as an object.
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
  // Not their content, which may be megabytes.
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  const json = JSON.stringify(value.slice(0, maxShown));
  const isWhole = value.length <= maxShown && json.length <= maxShown;
  return isWhole ? json : `${json.slice(0, maxShown - 2)}…"`;
}

const maxShown = 60;
