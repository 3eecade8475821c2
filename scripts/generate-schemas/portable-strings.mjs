// @ts-check

/** @typedef {import("./definitions.mjs").Schema} Schema */

/**
 * How the OpenAPI document shows the strings whose own patterns a common tool refuses: W65. The validators keep the
 * patterns of `scalars.schema.json`, which are stricter: whatever fits those is described by these, too.
 * @type {Readonly<Record<string, Schema>>}
 */
const portable = {
  // White space by its characters would stand raw in generated code, where a line separator ends a literal.
  Text: { pattern: "\\S" },
  // RE2 and Rust know no look-ahead. Which days a month has is what `format` says.
  CalendarDate: { format: "date", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
  Instant: {
    format: "date-time",
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?Z$",
  },
  // `format` says which characters a URI has. The pattern is the one of release 1.2.0: tools can't tell a narrower one from another.
  HttpsUrl: { format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]://[^\\s/?#@\\\\]+(?:[/?#][^\\s\\\\]*)?$" },
};

/**
 * A definition as the OpenAPI document shows it.
 * @param {import("./definitions.mjs").Definition} definition
 * @returns {Schema}
 */
export function portableSchema({ name, schema }) {
  const { type, description, ...rest } = schema;
  return portable[name] === undefined ? schema : { type, ...rest, ...portable[name], description };
}
