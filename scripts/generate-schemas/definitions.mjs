// @ts-check
import { readdir, readFile } from "node:fs/promises";

/**
 * @typedef {{ readonly [keyword: string]: unknown }} Schema
 * @typedef {object} Definition
 * @property {string} name unique over all files: the key in `$defs`, or the title of a whole document
 * @property {string} file the file it stands in, `*.schema.json`
 * @property {boolean} isDocument whether it is a whole document rather than one of a file's `$defs`
 * @property {Schema} schema as written, without the keywords that concern the file as a whole
 */

/** @param {URL} directory */
export async function readSchemaFiles(directory) {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".schema.json")).sort();
  /** @type {Map<string, Schema>} */
  const files = new Map();
  for (const name of names) files.set(name, JSON.parse(await readFile(new URL(name, directory), "utf8")));
  return files;
}

/**
 * Every named schema of the files, in one flat namespace, as the generated types and the OpenAPI document need it.
 * @param {ReadonlyMap<string, Schema>} files
 */
export function flatDefinitions(files) {
  /** @type {Map<string, Definition>} */
  const definitions = new Map();
  /** @param {Definition} definition */
  const add = (definition) => {
    if (definitions.has(definition.name)) throw new Error(`${definition.name} is defined twice`);
    definitions.set(definition.name, definition);
  };
  for (const [file, { $schema, $defs, title, ...schema }] of files) {
    // A file without a type of its own only carries `$defs`.
    if ("type" in schema) add({ name: String(title), file, isDocument: true, schema });
    for (const [name, definition] of Object.entries(/** @type {Record<string, Schema>} */ ($defs ?? {}))) {
      add({ name, file, isDocument: false, schema: definition });
    }
  }
  return definitions;
}

/**
 * The name of the definition that a reference means: `other.schema.json`, `other.schema.json#/$defs/Name` or, within
 * its own file, `#/$defs/Name`.
 * @param {string} reference
 * @param {string} fromFile
 * @param {ReadonlyMap<string, Definition>} definitions
 */
export function referencedName(reference, fromFile, definitions) {
  const [path = "", pointer = ""] = reference.split("#");
  const file = path === "" ? fromFile : path.replace(/^\.\//, "");
  for (const { name, file: home, isDocument } of definitions.values()) {
    if (home === file && pointer === (isDocument ? "" : `/$defs/${name}`)) return name;
  }
  throw new Error(`${fromFile} refers to ${reference}, which does not exist`);
}

/**
 * A copy of a JSON value in which every object that is a reference went through `replace`.
 * @param {unknown} value
 * @param {(reference: Schema & { readonly $ref: string }) => unknown} replace
 * @returns {unknown}
 */
export function withReferences(value, replace) {
  if (Array.isArray(value)) return value.map((element) => withReferences(element, replace));
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value && typeof value.$ref === "string") return replace({ ...value, $ref: value.$ref });
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withReferences(part, replace)]));
}
