import type { ColumnKind } from "./contract.ts";

/** A column's type as the catalog describes it. Domains are resolved to the types under them. */
export interface ColumnType {
  /** The type as people write it: `timestamp with time zone`. */
  readonly shown: string;
  /** `pg_type.typname`; for an array, that of its elements. */
  readonly name: string;
  readonly isArray: boolean;
  readonly isEnum: boolean;
}

/** Why a column's type is refused, and the cast that mends it. */
export interface TypeMismatch {
  readonly reason: string;
  /** An SQL expression of the right type over the column. */
  readonly cast: string;
  /** What the cast does to values that do not fit. Absent when it changes and refuses none. */
  readonly loss?: string;
}

/** PostgreSQL's type for each kind of column. */
export const sqlTypes: Readonly<Record<ColumnKind, string>> = {
  text: "text",
  int: "integer",
  numeric: "numeric",
  date: "date",
  "text[]": "text[]",
};

/**
 * A type is accepted when every value of it can be cast without loss. `column` is the name, quoted already, and `keys` are the keys
 * seen in the objects of a JSON column.
 */
export function typeMismatch(
  column: string,
  kind: ColumnKind,
  type: ColumnType,
  keys: readonly string[] = [],
): TypeMismatch | undefined {
  switch (kind) {
    case "text":
      return textMismatch(column, type, keys);
    case "int":
      return intMismatch(column, type);
    case "numeric":
      return numericMismatch(column, type);
    case "date":
      return dateMismatch(column, type);
    case "text[]":
      return textArrayMismatch(column, type, keys);
  }
}

const integers = new Set(["int2", "int4", "int8"]);
const strings = new Set(["text", "varchar", "bpchar", "name", "citext"]);
const texts = new Set([...strings, "uuid", ...integers]);
const castableToNumber = new Set([...strings, "jsonb"]);

/**
 * A cast by way of text works for any type and judges each value. A direct cast that PostgreSQL lacks would fail the script.
 */
function castTo(column: string, type: string, isDirect: boolean): string {
  return isDirect ? `${column}::${type}` : `${column}::text::${type}`;
}

export function isJson({ name, isArray }: ColumnType): boolean {
  return !isArray && (name === "json" || name === "jsonb");
}

function isTextual({ name, isArray, isEnum }: ColumnType): boolean {
  return !isArray && (isEnum || texts.has(name));
}

function textMismatch(column: string, type: ColumnType, keys: readonly string[]): TypeMismatch | undefined {
  if (isTextual(type)) return undefined;
  const reason = "is no text";
  if (!isJson(type)) {
    return {
      reason,
      cast: `${column}::text`,
      loss: `${column} is published as PostgreSQL prints the type ${type.shown}`,
    };
  }
  return {
    reason: reason + objectsSeen(keys),
    cast: jsonText(`${column}::jsonb`, keys),
    loss: `${column} ${jsonLoss(keys)}`,
  };
}

/**
 * The text in a jsonb value (P151). An object gives the text of the first key, and a list gives NULL, because neither is
 * meant to be published as JSON. `#>> '{}'` gives a text without its quotes, and NULL for `null`.
 */
function jsonText(value: string, [key]: readonly string[]): string {
  const text = `${value} #>> '{}'`;
  return key === undefined
    ? `CASE WHEN jsonb_typeof(${value}) NOT IN ('object', 'array') THEN ${text} END`
    : `CASE jsonb_typeof(${value}) WHEN 'object' THEN ${value} ->> '${key}' WHEN 'array' THEN NULL ELSE ${text} END`;
}

function objectsSeen(keys: readonly string[]): string {
  return keys.length === 0 ? "" : ` and holds objects with the keys ${keys.join(", ")}`;
}

function jsonLoss([key, ...others]: readonly string[]): string {
  if (key === undefined) return "becomes NULL where it is an object (name its key: ->> 'key') or a list";
  const choice = others.length === 0 ? "" : `, or put ${others.join(" or ")} in its place`;
  return `becomes NULL where it is a list; of objects only ${key} is published${choice}`;
}

function intMismatch(column: string, { name, isArray }: ColumnType): TypeMismatch | undefined {
  if (integers.has(name) && !isArray) return undefined;
  const mayBeFraction = !isArray && (name === "numeric" || name.startsWith("float"));
  return {
    reason: mayBeFraction ? "can hold fractions" : "is no whole number",
    cast: castTo(
      column,
      "integer",
      mayBeFraction || (!isArray && (castableToNumber.has(name) || name === "bool")),
    ),
    loss: mayBeFraction
      ? `${column} is rounded to whole numbers: 12.5 becomes ${name === "numeric" ? 13 : 12}, 13.5 becomes 14`
      : `${column} must hold whole numbers only: any other value fails the build`,
  };
}

function numericMismatch(column: string, { name, isArray }: ColumnType): TypeMismatch | undefined {
  if ((integers.has(name) || name === "numeric") && !isArray) return undefined;
  if (name.startsWith("float") && !isArray) {
    return {
      reason: "is binary floating point, which can't hold decimal amounts exactly",
      cast: `${column}::numeric`,
      loss: `${column} is rounded to ${name === "float4" ? 6 : 15} significant digits`,
    };
  }
  if (name === "money" && !isArray) {
    return {
      reason: "prints according to the session's locale",
      cast: `${column}::numeric`,
    };
  }
  return {
    reason: "is no decimal number",
    cast: castTo(column, "numeric", !isArray && castableToNumber.has(name)),
    loss: `${column} must hold numbers only: any other value fails the build`,
  };
}

function dateMismatch(column: string, type: ColumnType): TypeMismatch | undefined {
  const { name, isArray } = type;
  if (name === "date" && !isArray) return undefined;
  if (name === "timestamptz" && !isArray) {
    return {
      reason: "is an instant, whose calendar date depends on a time zone (put yours in place of UTC)",
      cast: `(${column} AT TIME ZONE 'UTC')::date`,
      loss: `${column} loses its time of day; its date is that of the time zone UTC: put yours in its place`,
    };
  }
  if (name === "timestamp" && !isArray) {
    return {
      reason: "has a time of day",
      cast: `${column}::date`,
      loss: `${column} loses its time of day; where it is in UTC, its date may not be that of the place`,
    };
  }
  return {
    reason: "is no calendar date",
    cast: isJson(type) ? `(${column} #>> '{}')::date` : castTo(column, "date", !isArray && strings.has(name)),
    loss: `${column} must hold dates only (2027-01-31): any other value fails the build`,
  };
}

function textArrayMismatch(
  column: string,
  type: ColumnType,
  keys: readonly string[],
): TypeMismatch | undefined {
  if (type.isArray) {
    const element = { ...type, isArray: false };
    if (isTextual(element)) return undefined;
    if (isJson(element)) {
      return {
        reason: "is no list of texts",
        cast: `CASE WHEN ${column} IS NOT NULL THEN ARRAY(SELECT ${jsonText("element::jsonb", [])} FROM unnest(${column}) AS element) END`,
        loss: `an element of ${column} ${jsonLoss([])}`,
      };
    }
    return { reason: "is no list of texts", cast: `${column}::text[]` };
  }
  if (isJson(type)) {
    return {
      reason: `is no array of PostgreSQL${objectsSeen(keys)}`,
      cast: `CASE WHEN jsonb_typeof(${column}::jsonb) = 'array' THEN ARRAY(SELECT ${jsonText("element", keys)} FROM jsonb_array_elements(${column}::jsonb) AS element) END`,
      loss: `${column} becomes NULL where it is no JSON array; an element ${jsonLoss(keys)}`,
    };
  }
  return {
    reason: "is a single value (split at commas here)",
    cast: `string_to_array(${column}::text, ',')`,
    loss: `${column} is split at every comma, also within a text`,
  };
}
