import { type Definition, type Definitions, referenced, type Schema, withObjects } from "./definitions.ts";

/**
 * How the OpenAPI document shows the strings whose own patterns a common tool refuses: W65. The validators
 * keep the patterns of `scalars.schema.json`, which are stricter: whatever fits those is described by these,
 * too.
 */
const portable: Readonly<Record<string, Schema>> = {
  // White space by its characters would stand raw in generated code, where a line separator ends a literal.
  Text: { pattern: "\\S" },
  // RE2 and Rust know no look-ahead. Which days a month has is what `format` says.
  CalendarDate: { format: "date", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
  Instant: {
    format: "date-time",
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?Z$",
  },
  // `format` says which characters a URI has. The pattern is the one of release 1.2.0: tools can't tell a
  // narrower one from another.
  HttpsUrl: { format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]://[^\\s/?#@\\\\]+(?:[/?#][^\\s\\\\]*)?$" },
};

/** Texts for people, whose wording is not promised. */
const wordings = new Set(["message"]);

/**
 * A definition as partners get it. Our validators hold each answer against the closed schema before it is
 * published; what a partner generates from the document must accept the answers of later versions, too. So
 * objects are open, and texts for people are any text (W65).
 */
export function partnerSchema({ name, file, schema }: Definition, definitions: Definitions): Schema {
  if (Array.isArray(schema.oneOf)) return oneObject(schema, file, definitions);
  const { type, description, ...rest } = schema;
  const portably = portable[name] === undefined ? schema : { type, ...rest, ...portable[name], description };
  return opened(portably) as Schema;
}

/**
 * Alternatives that have the same fields, as one object: each constant becomes a word of an enumeration, and
 * a wording any text. A generated parser would refuse all alternatives when one wording changes.
 */
function oneObject({ oneOf, description }: Schema, file: string, definitions: Definitions): Schema {
  const alternatives = (oneOf as readonly { readonly $ref: string }[]).map(
    ({ $ref }) => referenced($ref, file, definitions).schema,
  );
  const fields = alternatives.map((part) => part.properties as Readonly<Record<string, Schema>>);
  const names = Object.keys(fields[0] ?? {});
  const properties = names.map((name) => {
    if (fields.some((field) => Object.keys(field).join() !== names.join()))
      throw new Error(`the alternatives of ${file} have different fields`);
    const words = fields.map((field) => field[name]?.const);
    const shared = { description: fields[0]?.[name]?.description };
    return [name, { type: "string", ...(!wordings.has(name) && { enum: words }), ...shared }];
  });
  const meanings = alternatives.map((part) => `- ${part.description}`).join("\n");
  return {
    type: "object",
    description: `${description}\n\n${meanings}`,
    properties: Object.fromEntries(properties),
    required: names,
  };
}

/** A copy without the keyword that closes objects. */
function opened(value: unknown): unknown {
  return withObjects(value, (object) => {
    const { additionalProperties, ...rest } = object;
    return additionalProperties === false ? rest : object;
  });
}
