import { type Html, html } from "../../output/html.ts";
import type { ApiDocument, Schema } from "./api-document.ts";
import { boundWords, fieldExamples, proseMarkup, schemaId, typeWords } from "./schema-words.ts";

/** A section for each schema: its fields in the order of the wire, or what a plain value looks like. */
export function schemaSections(document: ApiDocument): readonly Html[] {
  const examples = fieldExamples(document);
  return Object.entries(document.components.schemas).map(
    ([name, schema]) => html`<h3 id="${schemaId(name)}">${name}</h3>
<p>${proseMarkup(schema.description ?? "")}</p>
${schema.properties === undefined ? plainValue(schema) : fieldTable(name, schema, examples)}
`,
  );
}

function plainValue(schema: Schema): Html {
  return html`<p class="meta">${typeWords(schema)}${boundWords(schema).map((bound) => html`, ${bound}`)}</p>`;
}

function fieldTable(name: string, schema: Schema, examples: ReadonlyMap<string, unknown>): Html {
  const rows = Object.entries(schema.properties ?? {}).map(([field, part]) => {
    const example = examples.get(`${name}.${field}`);
    return html`<tr><th scope="row"><code>${field}</code></th>
<td data-label="type">${typeWords(part)}${boundWords(part).map((bound) => html`<small>${bound}</small>`)}</td>
<td data-label="meaning">${proseMarkup(part.description ?? "")}${isShort(example) && html`<small>such as <code>${JSON.stringify(example)}</code></small>`}</td></tr>
`;
  });
  return html`<table><thead><tr><th scope="col">field</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead><tbody>
${rows}
</tbody></table>`;
}

/** Objects have a section of their own, which tells more than they would here. */
function isShort(example: unknown): boolean {
  const isList = Array.isArray(example) && example.every((element) => typeof element !== "object");
  return example !== undefined && (typeof example !== "object" || isList);
}
