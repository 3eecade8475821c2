// @ts-check
import { flatDefinitions, referencedName } from "./definitions.mjs";

/** @typedef {import("./definitions.mjs").Schema} Schema */

/**
 * The fields of a program's detail by their paths, such as `prices.rooms[].amount`, an object before its own; and those
 * of them that may be empty.
 * @param {ReadonlyMap<string, Schema>} files
 * @param {string} banner
 */
export function publicFieldsText(files, banner) {
  const definitions = flatDefinitions(files);
  /** @type {Map<string, boolean>} whether the field may be empty */
  const fields = new Map();
  /**
   * @param {Schema} schema
   * @param {string} file
   * @param {string} path
   */
  const visit = (schema, file, path) => {
    if (typeof schema.$ref === "string") {
      const target = definitions.get(referencedName(schema.$ref, file, definitions));
      if (target !== undefined) visit(target.schema, target.file, path);
    }
    const types = [schema.type].flat();
    if (types.includes("null") || types.includes("array")) fields.set(path, true);
    for (const choice of /** @type {Schema[]} */ (schema.anyOf ?? [])) visit(choice, file, path);
    if (schema.items !== undefined) visit(/** @type {Schema} */ (schema.items), file, `${path}[]`);
    for (const [name, part] of Object.entries(
      /** @type {Record<string, Schema>} */ (schema.properties ?? {}),
    )) {
      const inner = path === "" ? name : `${path}.${name}`;
      fields.set(inner, false);
      visit(part, file, inner);
    }
  };
  const detail = definitions.get("ProgramDetail");
  if (detail === undefined) throw new Error("ProgramDetail is not defined");
  visit(detail.schema, detail.file, "");
  const all = [...fields.keys()];
  return [
    `${banner}\n`,
    "/** The fields of a program's detail by their paths, an object before its own. */\n",
    listText("publicFields", all),
    "\n/** Those that may be `null` or an empty list. */\n",
    listText(
      "emptiableFields",
      all.filter((field) => fields.get(field)),
    ),
  ].join("");
}

/**
 * @param {string} name
 * @param {readonly string[]} fields
 */
function listText(name, fields) {
  return `export const ${name}: readonly string[] = ${JSON.stringify(fields, null, 2)};\n`;
}
