// @ts-check
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { flatDefinitions, referencedName, withReferences } from "./definitions.mjs";
import { partnerSchema } from "./partner-schema.mjs";

/** @typedef {import("./definitions.mjs").Schema} Schema */

/**
 * `openapi.yaml` in one piece: every schema that it reaches under `components/schemas`, every example inline.
 * @param {ReadonlyMap<string, Schema>} files
 * @param {URL} directory where `openapi.yaml` stands
 */
export async function openapiText(files, directory) {
  const definitions = flatDefinitions(files);
  /** @type {Map<string, unknown>} */
  const schemas = new Map();
  /**
   * @param {unknown} value
   * @param {string} file
   * @returns {unknown}
   */
  const bundled = (value, file) =>
    withReferences(value, ({ $ref, ...beside }) => {
      if (file === yamlFile && $ref.startsWith("#")) return { $ref, ...beside };
      const name = referencedName($ref, file, definitions);
      const target = definitions.get(name);
      if (target !== undefined && !schemas.has(name)) {
        // The place is taken before its parts are looked at: order of first mention.
        schemas.set(name, undefined);
        schemas.set(name, bundled(partnerSchema(target, definitions), target.file));
      }
      return { $ref: `#/components/schemas/${name}`, ...beside };
    });

  const source = parse(await readFile(new URL(yamlFile, directory), "utf8"));
  const document = /** @type {{ components: object }} */ (
    bundled(await withExamples(source, directory), yamlFile)
  );
  const components = { ...document.components, schemas: Object.fromEntries(schemas) };
  return `${JSON.stringify({ ...document, components }, null, 2)}\n`;
}

const yamlFile = "openapi.yaml";

/**
 * Examples that stand in files of their own (`externalValue`) are put in place.
 * @param {unknown} value
 * @param {URL} directory
 * @returns {Promise<unknown>}
 */
async function withExamples(value, directory) {
  if (Array.isArray(value)) return Promise.all(value.map((element) => withExamples(element, directory)));
  if (typeof value !== "object" || value === null) return value;
  if ("externalValue" in value && typeof value.externalValue === "string") {
    const { externalValue, ...rest } = value;
    return { ...rest, value: JSON.parse(await readFile(new URL(externalValue, directory), "utf8")) };
  }
  const entries = Object.entries(value).map(async ([key, part]) => [
    key,
    await withExamples(part, directory),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}
