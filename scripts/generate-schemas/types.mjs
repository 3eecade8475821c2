// @ts-check
import { compile } from "json-schema-to-typescript";
import { flatDefinitions, referencedName, withReferences } from "./definitions.mjs";

/** @typedef {import("./definitions.mjs").Schema} Schema */

const scalarsFile = "scalars.schema.json";

/**
 * TypeScript types of every object of the schemas, read-only throughout. Scalars become plain `string`s: their
 * patterns have no type, and the brands of ids belong to those who parse them.
 * @param {ReadonlyMap<string, Schema>} files
 * @param {string} banner
 */
export async function typesText(files, banner) {
  const definitions = flatDefinitions(files);
  const typed = [...definitions.values()].filter(({ file }) => file !== scalarsFile);
  /** @param {import("./definitions.mjs").Definition} definition */
  const localized = ({ schema, file }) =>
    withReferences(withoutPatternProperties(schema), ({ $ref, ...beside }) => {
      const name = referencedName($ref, file, definitions);
      const target = definitions.get(name);
      if (target?.file === scalarsFile) return { ...target.schema, description: undefined, ...beside };
      // Anything beside the reference would make the compiler print the type a second time.
      return { $ref: `#/$defs/${name}` };
    });
  const root = {
    $defs: Object.fromEntries(typed.map((definition) => [definition.name, localized(definition)])),
    // The compiler prints what its root reaches, in this order; the root's own type is cut off below.
    anyOf: typed.map(({ name }) => ({ $ref: `#/$defs/${name}` })),
  };
  const text = await compile(/** @type {object} */ (root), "Root", {
    additionalProperties: false,
    bannerComment: "",
    style: { printWidth: 110 },
  });
  const types = readOnly(text.slice(text.indexOf(";\n") + ";\n".length));
  return `${banner}\n${types}\nexport type ErrorCode = ErrorDetail["code"];\n`;
}

/**
 * Maps by pattern as maps of any key: TypeScript has no patterns for keys.
 * @param {unknown} value
 * @returns {unknown}
 */
function withoutPatternProperties(value) {
  if (Array.isArray(value)) return value.map(withoutPatternProperties);
  if (typeof value !== "object" || value === null) return value;
  const { patternProperties, ...rest } = /** @type {Schema} */ (value);
  const [valueSchema] = Object.values(patternProperties ?? {});
  const shown = valueSchema === undefined ? rest : { ...rest, additionalProperties: valueSchema };
  return Object.fromEntries(
    Object.entries(shown).map(([key, part]) => [key, withoutPatternProperties(part)]),
  );
}

/** @param {string} text formatted declarations, one property a line */
function readOnly(text) {
  return text
    .replace(/^( +)(\w+|"[^"]+"|\[k: string\])(?=: )/gm, "$1readonly $2")
    .replace(/^( +readonly .*?: )(\w+)(?=\[\])/gm, "$1readonly $2");
}
