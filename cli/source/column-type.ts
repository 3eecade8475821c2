import type { ColumnKind } from "./contract.ts";

/** A column's type as the catalog describes it, domains resolved to what they are made of. */
export interface ColumnType {
  /** As people write it: `timestamp with time zone`. */
  readonly shown: string;
  /** `pg_type.typname`; of an array, its element's. */
  readonly name: string;
  readonly isArray: boolean;
  readonly isEnum: boolean;
}

/** Why the type can't stand for the kind, and the cast that makes it do. */
export interface TypeMismatch {
  readonly reason: string;
  /** An SQL expression of the right type over the column `name`, which is quoted already. */
  readonly cast: (name: string) => string;
}

/** PostgreSQL's type for each kind. */
export const sqlTypes: Readonly<Record<ColumnKind, string>> = {
  text: "text",
  int: "integer",
  numeric: "numeric",
  date: "date",
  "text[]": "text[]",
};

/** `undefined` when the type is accepted: when every value of it becomes the kind's without loss. */
export function typeMismatch(kind: ColumnKind, type: ColumnType): TypeMismatch | undefined {
  switch (kind) {
    case "text":
      return isTextual(type) ? undefined : { reason: "is no text", cast: (name) => `${name}::text` };
    case "int":
      return intMismatch(type);
    case "numeric":
      return numericMismatch(type);
    case "date":
      return dateMismatch(type);
    case "text[]":
      return textArrayMismatch(type);
  }
}

const integers = new Set(["int2", "int4", "int8"]);
const texts = new Set(["text", "varchar", "bpchar", "name", "citext", "uuid", ...integers]);

function isTextual({ name, isArray, isEnum }: ColumnType): boolean {
  return !isArray && (isEnum || texts.has(name));
}

function intMismatch({ name, isArray }: ColumnType): TypeMismatch | undefined {
  if (integers.has(name) && !isArray) return undefined;
  const mayBeFraction = name === "numeric" || name.startsWith("float");
  return {
    reason: mayBeFraction ? "can hold fractions" : "is no whole number",
    cast: (column) => `${column}::integer`,
  };
}

function numericMismatch({ name, isArray }: ColumnType): TypeMismatch | undefined {
  if ((integers.has(name) || name === "numeric") && !isArray) return undefined;
  if (name.startsWith("float")) {
    return {
      reason: "is binary floating point, which can't hold decimal amounts exactly",
      cast: (column) => `${column}::numeric`,
    };
  }
  if (name === "money") {
    return {
      reason: "prints according to the session's locale",
      cast: (column) => `${column}::numeric`,
    };
  }
  return { reason: "is no decimal number", cast: (column) => `${column}::numeric` };
}

function dateMismatch({ name, isArray }: ColumnType): TypeMismatch | undefined {
  if (name === "date" && !isArray) return undefined;
  if (name === "timestamptz") {
    return {
      reason: "is an instant, whose calendar date depends on a time zone (put yours in place of UTC)",
      cast: (column) => `(${column} AT TIME ZONE 'UTC')::date`,
    };
  }
  if (name === "timestamp") {
    return { reason: "has a time of day", cast: (column) => `${column}::date` };
  }
  return { reason: "is no calendar date", cast: (column) => `${column}::date` };
}

function textArrayMismatch(type: ColumnType): TypeMismatch | undefined {
  const { name, isArray } = type;
  if (isArray) {
    if (isTextual({ ...type, isArray: false })) return undefined;
    return { reason: "is no list of texts", cast: (column) => `${column}::text[]` };
  }
  if (name === "json" || name === "jsonb") {
    return {
      reason: "is no array of PostgreSQL",
      cast: (column) =>
        `CASE WHEN jsonb_typeof(${column}::jsonb) = 'array' THEN ARRAY(SELECT jsonb_array_elements_text(${column}::jsonb)) END`,
    };
  }
  return {
    reason: "is a single value (split at commas here)",
    cast: (column) => `string_to_array(${column}::text, ',')`,
  };
}
