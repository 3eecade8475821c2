import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export type Schema = Readonly<Record<string, unknown>>;

/** The schemas of a folder by the names of their files, in the order of the names. */
export type SchemaFiles = ReadonlyMap<string, Schema>;

export interface Definition {
  /** Unique over all files: the key in `$defs`, or the title of a whole document. */
  readonly name: string;
  /** The file it stands in, `*.schema.json`. */
  readonly file: string;
  /** Whether it is a whole document rather than one of a file's `$defs`. */
  readonly isDocument: boolean;
  /** As written, without the keywords that concern the file as a whole. */
  readonly schema: Schema;
}

export type Definitions = ReadonlyMap<string, Definition>;

export async function readSchemaFiles(directory: string): Promise<SchemaFiles> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".schema.json")).sort();
  const files = new Map<string, Schema>();
  for (const name of names) files.set(name, JSON.parse(await readFile(join(directory, name), "utf8")));
  return files;
}

/**
 * Every named schema of the files, in one flat namespace, as the generated types and the OpenAPI document
 * need it.
 */
export function flatDefinitions(files: SchemaFiles): Definitions {
  const definitions = new Map<string, Definition>();
  const add = (definition: Definition): void => {
    if (definitions.has(definition.name)) throw new Error(`${definition.name} is defined twice`);
    definitions.set(definition.name, definition);
  };
  for (const [file, { $schema, $defs = {}, title, ...schema }] of files) {
    // A file without a type of its own only carries `$defs`.
    if ("type" in schema) add({ name: String(title), file, isDocument: true, schema });
    for (const [name, definition] of Object.entries($defs as Readonly<Record<string, Schema>>)) {
      add({ name, file, isDocument: false, schema: definition });
    }
  }
  return definitions;
}

/**
 * The definition that a reference means: `other.schema.json`, `other.schema.json#/$defs/Name` or, within its
 * own file, `#/$defs/Name`. Throws when there is none.
 */
export function referenced(reference: string, fromFile: string, definitions: Definitions): Definition {
  const [path = "", pointer = ""] = reference.split("#");
  const wantedFile = path === "" ? fromFile : path.replace(/^\.\//, "");
  for (const definition of definitions.values()) {
    const { name, file, isDocument } = definition;
    if (file === wantedFile && pointer === (isDocument ? "" : `/$defs/${name}`)) return definition;
  }
  throw new Error(`${fromFile} refers to ${reference}, which does not exist`);
}

/** A copy of a JSON value in which every object went through `change`, the innermost ones first. */
export function withObjects(value: unknown, change: (object: Schema) => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => withObjects(element, change));
  if (typeof value !== "object" || value === null) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withObjects(part, change)])),
  );
}

/** A copy of a JSON value in which every object that is a reference went through `replace`. */
export function withReferences(
  value: unknown,
  replace: (reference: Schema & { readonly $ref: string }) => unknown,
): unknown {
  return withObjects(value, (object) =>
    typeof object.$ref === "string" ? replace({ ...object, $ref: object.$ref }) : object,
  );
}
