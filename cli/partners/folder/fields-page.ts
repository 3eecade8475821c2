import { type Html, html } from "../../output/html.ts";
import { type ApiDocument, referenceName, type Schema } from "./api-document.ts";
import { boundWords, fieldExamples, proseMarkup, typeWords } from "./schema-words.ts";
import type { SitePage } from "./site-page.ts";

/** A field of a program. `path` is its path from the program: `prices.rooms[].amount`. */
interface Field {
  readonly path: string;
  /** Its name in the document, with the name of its schema: `RoomPrice.amount`. */
  readonly name: string;
  readonly schema: Schema;
}

/** All fields of a program in the order of the wire: those of the list, then those that the detail alone has. */
export function programFields(document: ApiDocument): {
  readonly inList: readonly Field[];
  readonly inDetail: readonly Field[];
} {
  const inList = fieldsOf(document, "ProgramListItem");
  const listed = new Set(inList.map(({ path }) => path));
  return { inList, inDetail: fieldsOf(document, "ProgramDetail").filter(({ path }) => !listed.has(path)) };
}

/** The glossary: one row for each field. */
export function fieldsPage(document: ApiDocument): SitePage {
  const examples = fieldExamples(document);
  const { inList, inDetail } = programFields(document);
  const body = html`<h1>Fields</h1>
<p class="lead">All ${inList.length + inDetail.length} fields of a program, by their paths. <code>[]</code> stands for each element of an array.</p>
<h2 id="list">In the list and in the detail</h2>
${glossary(document, inList, examples)}
<h2 id="detail">In the detail alone</h2>
${glossary(document, inDetail, examples)}`;
  return {
    name: "fields",
    title: "Fields",
    headings: [
      { level: 2, id: "list", text: "In the list and in the detail" },
      { level: 2, id: "detail", text: "In the detail alone" },
    ],
    body: body.markup,
  };
}

function fieldsOf({ components }: ApiDocument, root: string): readonly Field[] {
  const fields: Field[] = [];
  const visit = (schema: Schema, path: string, name: string): void => {
    if (schema.$ref !== undefined) {
      const target = referenceName(schema.$ref);
      visit(components.schemas[target] ?? {}, path, target);
      return;
    }
    for (const choice of schema.anyOf ?? []) visit(choice, path, name);
    if (schema.items !== undefined) visit(schema.items, `${path}[]`, name);
    for (const [field, part] of Object.entries(schema.properties ?? {})) {
      const inner = path === "" ? field : `${path}.${field}`;
      fields.push({ path: inner, name: `${name}.${field}`, schema: part });
      visit(part, inner, `${name}.${field}`);
    }
  };
  visit({ $ref: root }, "", root);
  return fields;
}

function glossary(
  document: ApiDocument,
  fields: readonly Field[],
  examples: ReadonlyMap<string, unknown>,
): Html {
  const rows = fields.map(({ path, name, schema }) => {
    const example = examples.get(name);
    const isPlain = example !== undefined && typeof example !== "object" && schema.enum === undefined;
    return html`<tr id="${fieldId(path)}"><th scope="row"><code>${path}</code></th>
<td data-label="type">${typeWords(document, schema, "reference.html")}${boundWords(schema).map((bound) => html`<small>${bound}</small>`)}</td>
<td data-label="meaning">${proseMarkup(schema.description ?? "")}${isPlain && html`<small>such as <code>${JSON.stringify(example)}</code></small>`}</td></tr>
`;
  });
  return html`<table class="glossary"><thead><tr><th scope="col">field</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead><tbody>
${rows}
</tbody></table>`;
}

function fieldId(path: string): string {
  return `field-${path.replaceAll("[]", "").replaceAll(".", "-")}`;
}
