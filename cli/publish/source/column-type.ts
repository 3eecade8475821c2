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

/** PostgreSQL's type for each kind of column. */
export const sqlTypes: Readonly<Record<ColumnKind, string>> = {
  text: "text",
  int: "integer",
  numeric: "numeric",
  date: "date",
  "text[]": "text[]",
};

/** How a column of another type becomes one of the kind, as the middle of a sentence. P153: then the same is published. P151: no JSON object becomes a text. */
export const castHints: Readonly<Record<ColumnKind, string>> = {
  text: "a text (value::text; of JSON value #>> '{}', or of an object value ->> 'key')",
  int: "a whole number (round(value)::integer; of JSON (value #>> '{}')::integer)",
  numeric: "a decimal number (value::numeric, which rounds binary numbers to 15 digits)",
  date: "a calendar date (value::date; of an instant (value AT TIME ZONE 'your/Zone')::date)",
  "text[]":
    "a list of texts (string_to_array(value, ','); of JSON ARRAY(SELECT jsonb_array_elements_text(value::jsonb)))",
};

/** Why the type is refused; `undefined` when every value of it can be cast without loss. */
export function typeMismatch(kind: ColumnKind, type: ColumnType): string | undefined {
  const { name, isArray } = type;
  switch (kind) {
    case "text":
      return isTextual(type) ? undefined : "is no text";
    case "int":
      if (!isArray && integers.has(name)) return undefined;
      return !isArray && (name === "numeric" || isBinary(name)) ? "can hold fractions" : "is no whole number";
    case "numeric":
      if (!isArray && (name === "numeric" || integers.has(name))) return undefined;
      if (!isArray && isBinary(name))
        return "is binary floating point, which can't hold decimal amounts exactly";
      return !isArray && name === "money"
        ? "prints according to the session's locale"
        : "is no decimal number";
    case "date":
      if (isArray) return "is no calendar date";
      if (name === "timestamptz") return "is an instant, whose calendar date depends on a time zone";
      if (name === "timestamp") return "has a time of day";
      return name === "date" ? undefined : "is no calendar date";
    case "text[]":
      if (!isArray) return isJson(name) ? "is no array of PostgreSQL" : "is a single value";
      return isTextual({ ...type, isArray: false }) ? undefined : "is no list of texts";
  }
}

const integers = new Set(["int2", "int4", "int8"]);
const texts = new Set(["text", "varchar", "bpchar", "name", "citext", "uuid", ...integers]);

function isTextual({ name, isArray, isEnum }: ColumnType): boolean {
  return !isArray && (isEnum || texts.has(name));
}

function isBinary(name: string): boolean {
  return name.startsWith("float");
}

function isJson(name: string): boolean {
  return name === "json" || name === "jsonb";
}
