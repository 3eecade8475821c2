import { type Html, html } from "../../output/html.ts";
import { type ApiDocument, type Operation, type Response, resolved } from "./api-document.ts";
import { jsonBlock, tabbed } from "./code-block.ts";
import { unfoldedFields } from "./reference-fields.ts";
import { headerList } from "./reference-headers.ts";
import { proseMarkup } from "./schema-words.ts";

/** The 200 of an operation: its fields, and its examples beside them. The keys of the examples are links to the fields. */
export function successPart(document: ApiDocument, operation: Operation): Html {
  const { operationId } = operation;
  const { description, headers, content } = responseOf(document, operation, "200");
  const [json] = Object.values(content);
  // The detail shares its fields with the list.
  const known = operationId === "getProgram" ? document.components.schemas.ProgramListItem : undefined;
  const fields = unfoldedFields(document, json?.schema ?? {}, operationId, known);
  const examples = Object.entries(json?.examples ?? {}).map(([name, part]) => ({
    name: words(name),
    value: name,
    panel: jsonBlock(resolved(document, part).value, 56, fields.link),
  }));
  const [only] = examples;
  const shown = examples.length === 1 ? only?.panel : tabbed(`example-${operationId}`, "Example", examples);
  return html`<div class="beside"><div>
<h3 id="${operationId}-200"><span class="status">200</span> Answer</h3>
<p>${proseMarkup(description)}</p>
${fields.markup}
<details><summary class="more">Headers of the 200</summary>
${headerList(document, headers)}</details>
</div><div class="aside">
${shown}
</div></div>
`;
}

/** A refusal with its status, code and cause. Its example and headers are collapsed. */
export function errorItem(document: ApiDocument, operation: Operation, status: string): Html {
  const { description, headers, content } = responseOf(document, operation, status);
  const examples = Object.values(Object.values(content)[0]?.examples ?? {}).map((part) => {
    const { summary, value } = resolved(document, part);
    return { summary, value, code: Object(Object(value).error).code };
  });
  return html`<li id="${operation.operationId}-${status}"><p class="field"><span class="status">${status}</span> <code>${examples[0]?.code}</code></p>
<p>${proseMarkup(description)}</p>
<details><summary class="more">Example and headers</summary>
${examples.map(({ summary, value }) => html`<p>Example: ${summary}</p>\n${jsonBlock(value)}`)}
${headerList(document, headers)}</details></li>
`;
}

function responseOf(document: ApiDocument, { operationId, responses }: Operation, status: string): Response {
  const part = responses[status];
  if (part === undefined) throw new Error(`${operationId} has no ${status}`);
  return resolved(document, part);
}

/** A name of the document in words: `capacityAsTotal` is `capacity as total`. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
}
