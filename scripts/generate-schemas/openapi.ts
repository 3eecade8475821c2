import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { flatDefinitions, referenced, type SchemaFiles, withObjects, withReferences } from "./definitions.ts";
import { partnerSchema } from "./partner-schema.ts";

const yamlFile = "openapi.yaml";

/**
 * `openapi.yaml` of the directory in one piece: every schema that it reaches under `components/schemas`,
 * every example inline.
 */
export async function openapiText(files: SchemaFiles, directory: string): Promise<string> {
  const definitions = flatDefinitions(files);
  const schemas = new Map<string, unknown>();
  const bundled = (value: unknown, file: string): unknown =>
    withReferences(value, ({ $ref, ...beside }) => {
      if (file === yamlFile && $ref.startsWith("#")) return { $ref, ...beside };
      const target = referenced($ref, file, definitions);
      if (!schemas.has(target.name)) {
        // The place is taken before its parts are looked at: order of first mention.
        schemas.set(target.name, undefined);
        schemas.set(target.name, bundled(partnerSchema(target, definitions), target.file));
      }
      return { $ref: `#/components/schemas/${target.name}`, ...beside };
    });

  // Examples that stand in files of their own (`externalValue`) are put in place.
  const source = withObjects(parse(await readFile(join(directory, yamlFile), "utf8")), (object) => {
    const { externalValue, ...rest } = object;
    if (typeof externalValue !== "string") return object;
    return { ...rest, value: JSON.parse(readFileSync(join(directory, externalValue), "utf8")) };
  });
  const document = bundled(source, yamlFile) as { readonly components: object };
  const components = { ...document.components, schemas: Object.fromEntries(schemas) };
  return `${JSON.stringify({ ...document, components }, null, 2)}\n`;
}
