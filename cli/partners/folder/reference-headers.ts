import { type Html, html } from "../../output/html.ts";
import { type ApiDocument, type Header, type OrReference, resolved } from "./api-document.ts";
import { boundWords, proseMarkup, typeWords } from "./schema-words.ts";

/**
 * The headers of one answer. A header that answers share gets its first sentence here, and all of its description in
 * `allHeaders`.
 */
export function headerList(
  document: ApiDocument,
  headers: Readonly<Record<string, OrReference<Header>>>,
): Html {
  const rows = Object.entries(headers).map(([name, part]) => {
    const header = resolved(document, part);
    const isShared = header === document.components.headers[name];
    return html`<li><p class="field"><a href="#${headerId(name)}"><code>${name}</code></a> <span class="type">${presence(header)}</span></p>
<p>${isShared ? firstSentence(header.description) : meaning(document, header)}</p></li>
`;
  });
  return html`<ul class="fields told-below">\n${rows}</ul>`;
}

/** All headers that the document describes. */
export function allHeaders(document: ApiDocument): Html {
  const rows = Object.entries(document.components.headers).map(
    ([
      name,
      header,
    ]) => html`<li id="${headerId(name)}"><p class="field"><code>${name}</code> <span class="type">${presence(header)}</span></p>
<p>${meaning(document, header)}</p></li>
`,
  );
  return html`<ul class="fields">\n${rows}</ul>`;
}

function presence({ required }: Header): string {
  return required === true ? "always" : "where known";
}

function meaning(document: ApiDocument, { description, schema, example, examples = {} }: Header): Html {
  const given = [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
    ...(schema.const === undefined ? [] : [schema.const]),
  ];
  const type = schema.const === undefined ? [typeWords(document, schema), ...boundWords(schema)] : undefined;
  return html`${proseMarkup(description)} <small>${type?.map((word, at) => html`${at > 0 && ", "}${word}`)}${
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
