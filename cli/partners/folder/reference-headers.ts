import { type Html, html } from "../../output/html.ts";
import { type ApiDocument, type Header, type OrReference, resolved } from "./api-document.ts";
import { boundWords, proseMarkup, typeWords } from "./schema-words.ts";

/** The rows of the headers of one answer. What they mean is told once, below; what only this answer says of one, here. */
export function headerRows(
  document: ApiDocument,
  headers: Readonly<Record<string, OrReference<Header>>>,
): readonly Html[] {
  return Object.entries(headers).map(([name, part]) => {
    const header = resolved(document, part);
    const isShared = header === document.components.headers[name];
    return html`<tr><th scope="row"><a href="#${headerId(name)}"><code>${name}</code></a></th>
<td data-label="there">${presence(header)}</td><td data-label="meaning">${isShared ? firstSentence(header.description) : meaning(header)}</td></tr>
`;
  });
}

/** All headers that the document describes. */
export function headerTable({ components }: ApiDocument): Html {
  const rows = Object.entries(components.headers).map(
    ([name, header]) => html`<tr id="${headerId(name)}"><th scope="row"><code>${name}</code></th>
<td data-label="there">${presence(header)}</td><td data-label="meaning">${meaning(header)}</td></tr>
`,
  );
  return html`<table><thead><tr><th scope="col">header</th><th scope="col">there</th><th scope="col">meaning</th></tr></thead><tbody>
${rows}
</tbody></table>`;
}

function presence({ required }: Header): string {
  return required === true ? "always" : "where known";
}

function meaning({ description, schema, example, examples = {} }: Header): Html {
  const given = [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
    ...(schema.const === undefined ? [] : [schema.const]),
  ];
  const type = schema.const === undefined ? [typeWords(schema), ...boundWords(schema)] : undefined;
  return html`${proseMarkup(description)}<small>${type?.map((word, at) => html`${at > 0 && ", "}${word}`)}${
    given.length > 0 &&
    html`${type && "; "}${given.map((value, at) => html`${at > 0 && " or "}<code>${String(value)}</code>`)}`
  }</small>`;
}

function firstSentence(text: string): readonly (Html | string)[] {
  const end = text.search(/[.:](?:\s|$)/);
  return proseMarkup(end < 0 ? text : `${text.slice(0, end)}.`);
}

function headerId(name: string): string {
  return `header-${name}`;
}
