import { flatDefinitions, referenced, type Schema, type SchemaFiles } from "./definitions.ts";

/**
 * The fields of a program's detail by their paths, such as `prices.rooms[].amount`, an object before its own;
 * and those of them that may be empty; and the fields of a list's element.
 */
export function publicFieldsText(files: SchemaFiles, banner: string): string {
  const definitions = flatDefinitions(files);
  /** Whether the field may be empty. */
  const fields = new Map<string, boolean>();
  const visit = (schema: Schema, file: string, path: string): void => {
    if (typeof schema.$ref === "string") {
      const target = referenced(schema.$ref, file, definitions);
      visit(target.schema, target.file, path);
    }
    const types = [schema.type].flat();
    if (types.includes("null") || types.includes("array")) fields.set(path, true);
    for (const choice of (schema.anyOf ?? []) as readonly Schema[]) visit(choice, file, path);
    if (schema.items !== undefined) visit(schema.items as Schema, file, `${path}[]`);
    for (const [name, part] of Object.entries(
      (schema.properties ?? {}) as Readonly<Record<string, Schema>>,
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
  const listItem = definitions.get("ProgramListItem")?.schema.properties ?? {};
  return [
    `${banner}\n`,
    "/** The fields of a program's detail by their paths, an object before its own. */\n",
    listText("publicFields", all),
    "\n/** Those that may be `null` or an empty list. */\n",
    listText(
      "emptiableFields",
      all.filter((field) => fields.get(field)),
    ),
    "\n/** The fields of a list's element, with which its detail begins. */\n",
    listText("listFields", Object.keys(listItem)),
  ].join("");
}

function listText(name: string, fields: readonly string[]): string {
  return `export const ${name}: readonly string[] = ${JSON.stringify(fields, null, 2)};\n`;
}
