import { compile } from "json-schema-to-typescript";
import {
  type Definition,
  flatDefinitions,
  referenced,
  type SchemaFiles,
  withObjects,
  withReferences,
} from "./definitions.ts";

const scalarsFile = "scalars.schema.json";

/**
 * TypeScript types of every object of the schemas, read-only throughout. Scalars become plain `string`s:
 * their patterns have no type, and the brands of ids belong to those who parse them.
 */
export async function typesText(files: SchemaFiles, banner: string): Promise<string> {
  const definitions = flatDefinitions(files);
  const typed = [...definitions.values()].filter(({ file }) => file !== scalarsFile);
  const localized = ({ schema, file }: Definition): unknown =>
    withReferences(withoutPatternProperties(schema), ({ $ref, ...beside }) => {
      const target = referenced($ref, file, definitions);
      if (target.file === scalarsFile) return { ...target.schema, description: undefined, ...beside };
      // Anything beside the reference would make the compiler print the type a second time.
      return { $ref: `#/$defs/${target.name}` };
    });
  const root = {
    $defs: Object.fromEntries(typed.map((definition) => [definition.name, localized(definition)])),
    // The compiler prints what its root reaches, in this order; the root's own type is cut off below.
    anyOf: typed.map(({ name }) => ({ $ref: `#/$defs/${name}` })),
  };
  const text = await compile(root as object, "Root", {
    additionalProperties: false,
    bannerComment: "",
    style: { printWidth: 110 },
  });
  const types = readOnly(text.slice(text.indexOf(";\n") + ";\n".length));
  return `${banner}\n${types}\nexport type ErrorCode = ErrorDetail["code"];\n`;
}

/** Maps by pattern as maps of any key: TypeScript has no patterns for keys. */
function withoutPatternProperties(schema: unknown): unknown {
  return withObjects(schema, ({ patternProperties, ...rest }) => {
    const [valueSchema] = Object.values(patternProperties ?? {});
    return valueSchema === undefined ? rest : { ...rest, additionalProperties: valueSchema };
  });
}

/** `text` has formatted declarations, one property a line. */
function readOnly(text: string): string {
  return text
    .replace(/^( +)(\w+|"[^"]+"|\[k: string\])(?=: )/gm, "$1readonly $2")
    .replace(/^( +readonly .*?: )(\w+)(?=\[\])/gm, "$1readonly $2");
}
