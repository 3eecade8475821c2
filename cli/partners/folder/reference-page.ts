import { type Html, html } from "../../output/html.ts";
import {
  type ApiDocument,
  type Header,
  type Operation,
  type OrReference,
  type PathItem,
  referenceName,
  resolved,
  type Schema,
} from "./api-document.ts";
import { codeBlock, curlCall, jsonBlock } from "./code-block.ts";
import type { SitePage } from "./site-page.ts";

/** Every operation, parameter, status, header and field of the document. Each is described once, and linked elsewhere. */
export function referencePage(document: ApiDocument): SitePage {
  const { info, paths, components } = document;
  const schemas = Object.entries(components.schemas);
  const objects = schemas.filter(([, { properties }]) => properties !== undefined);
  const strings = schemas.filter(([, { properties }]) => properties === undefined);
  const body = html`<h1>Reference</h1>
<p class="lead">${info.summary} Version ${info.version} of the specification, made from <a href="openapi.json">openapi.json</a>.</p>
<p>Answers are JSON in UTF-8, with gzip where you accept it. Every field is always there; one that may hold <code>null</code> says so. Later
versions may add fields: ignore what you do not know.</p>
<h2 id="authentication">Authentication</h2>
${Object.values(components.securitySchemes).map(({ description }) => proseBlocks(description))}
${Object.entries(paths).map(([path, item]) => operationSection(document, path, item))}
<h2 id="headers">Headers of answers</h2>
${rowsOf(
  ["header", "sent", "meaning"],
  Object.entries(components.headers).map(([name, header]) => ({
    id: headerId(name),
    cells: [html`<code>${name}</code>`, presence(header), headerWords(document, header)],
  })),
)}
<h2 id="objects">Objects</h2>
${objects.map(([name, schema]) => objectSection(document, name, schema))}
<h2 id="kinds">Kinds of strings</h2>
${rowsOf(
  ["name", "type", "meaning"],
  strings.map(([name, schema]) => ({
    id: schemaId(name),
    cells: [html`<code>${name}</code>`, typeCell(document, schema), proseMarkup(schema.description ?? "")],
  })),
)}`;
  return { name: "reference", title: "Reference", body: body.markup };
}

function operationSection(document: ApiDocument, path: string, { parameters, get }: PathItem): Html {
  const own = parameters.map((part) => resolved(document, part));
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    return String(own.find((parameter) => parameter.name === name)?.example ?? "");
  });
  return html`<h2 id="${get.operationId}">GET <code>${path}</code>${get.deprecated && html` <span class="tag">deprecated</span>`}</h2>
<p><strong>${get.summary}.</strong> ${proseMarkup(get.description)}</p>
${codeBlock(curlCall(`${document.servers[0]?.url}${filled}`))}
${rowsOf(
  ["parameter", "place and type", "meaning"],
  own.map(({ name, in: place, required, description, schema }) => ({
    cells: [
      html`<code>${name}</code>`,
      html`${place}, ${required ? "required" : "optional"}; ${typeWords(document, schema)}`,
      proseMarkup(description),
    ],
  })),
)}
${Object.keys(get.responses).map((status) => answerSection(document, get, status))}
`;
}

function answerSection(
  document: ApiDocument,
  { operationId, responses }: Operation,
  status: string,
): Html | undefined {
  const part = responses[status];
  if (part === undefined) return undefined;
  const { description, headers, content } = resolved(document, part);
  const [json] = Object.values(content);
  const examples = Object.values(json?.examples ?? {}).map((example) => resolved(document, example));
  return html`<h3 id="${operationId}-${status}">${status}</h3>
<p>${proseMarkup(description)} The body: ${json && typeWords(document, json.schema)}.</p>
<details><summary>Headers and examples of the ${status}</summary>
<ul>${Object.entries(headers).map(([name, header]) => html`<li>${answerHeader(document, name, header)}</li>\n`)}</ul>
${examples.map(({ summary, value }) => html`${summary && html`<p>${summary}</p>`}\n${jsonBlock(value)}\n`)}</details>
`;
}

/** A header that answers share is described below, and only linked here. */
function answerHeader(document: ApiDocument, name: string, header: OrReference<Header>): Html {
  const own = "$ref" in header ? "" : html`: ${headerWords(document, resolved(document, header))}`;
  return html`<a href="#${headerId(name)}"><code>${name}</code></a>${own}`;
}

function objectSection(document: ApiDocument, name: string, schema: Schema): Html {
  return html`<h3 id="${schemaId(name)}">${name}</h3>
${proseBlocks(schema.description ?? "")}
${rowsOf(
  ["field", "type", "meaning"],
  Object.entries(schema.properties ?? {}).map(([field, part]) => ({
    id: `${schemaId(name)}-${field}`,
    cells: [html`<code>${field}</code>`, typeCell(document, part), proseMarkup(part.description ?? "")],
  })),
)}`;
}

type Cell = Html | string | readonly (Html | string)[];

function rowsOf(
  titles: readonly string[],
  rows: readonly { readonly id?: string; readonly cells: readonly Cell[] }[],
): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<table><thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>
${rows.map(
  ({ id, cells: [first, ...others] }) =>
    html`<tr${id !== undefined && html` id="${id}"`}><th scope="row">${first}</th>${others.map((cell, at) => html`<td data-label="${titles[at + 1]}">${cell}</td>`)}</tr>\n`,
)}</tbody></table>`;
}

function typeCell(document: ApiDocument, schema: Schema): Html {
  return html`${typeWords(document, schema)}${boundWords(schema).map((bound) => html`<small>${bound}</small>`)}`;
}

function presence({ required }: Header): string {
  return required === true ? "always" : "where known";
}

function headerWords(document: ApiDocument, { description, schema, example, examples = {} }: Header): Html {
  const given = [example, schema.const, ...Object.values(examples).map(({ value }) => value)];
  const shown = given.filter((value) => value !== undefined);
  const type = schema.const === undefined ? [typeWords(document, schema), ...boundWords(schema)] : [];
  return html`${proseMarkup(description)} <small>${type.map((word) => html`${word} `)}${shown.map((value) => html`<code>${String(value)}</code> `)}</small>`;
}

function headerId(name: string): string {
  return `header-${name}`;
}

/** The type of a value in words. A named type is a link to its description on the reference page. */
export function typeWords(document: ApiDocument, schema: Schema): Html {
  const words = (part: Schema): Html => typeWords(document, part);
  if (schema.$ref !== undefined) {
    const name = referenceName(schema.$ref);
    return html`<a href="#${schemaId(name)}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joined(choices.map(words));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    return joined(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  }
  const types = [schema.type ?? "any"].flat();
  return joined(
    types.map((type) => (type === "array" ? html`array of ${words(schema.items ?? {})}` : html`${type}`)),
  );
}

/** The bounds of a value: `1 or more`, `above 0`, a pattern, a format. */
export function boundWords({ minimum, maximum, exclusiveMinimum, format, pattern }: Schema): readonly Html[] {
  const bounds: Html[] = [];
  if (minimum !== undefined && maximum !== undefined) bounds.push(html`${minimum} to ${maximum}`);
  else if (minimum !== undefined) bounds.push(html`${minimum} or more`);
  else if (maximum !== undefined) bounds.push(html`at most ${maximum}`);
  if (exclusiveMinimum !== undefined) bounds.push(html`above ${exclusiveMinimum}`);
  if (format !== undefined) bounds.push(html`format <code>${format}</code>`);
  if (pattern !== undefined) bounds.push(html`pattern <code>${pattern}</code>`);
  return bounds;
}

/** The anchor of a named type on the reference page. */
function schemaId(name: string): string {
  return `schema-${name}`;
}

/** Running text of the document. Text between backticks is code. */
function proseMarkup(text: string): readonly (Html | string)[] {
  return text
    .trim()
    .split(/`([^`]+)`/)
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Text of the document with its paragraphs and lists. */
function proseBlocks(text: string): readonly Html[] {
  return text
    .trim()
    .split(/\n\n+/)
    .map((block) => {
      if (!block.startsWith("- ")) return html`<p>${proseMarkup(block)}</p>\n`;
      return html`<ul>${block
        .split(/^- /m)
        .slice(1)
        .map((item) => html`<li>${proseMarkup(item)}</li>\n`)}</ul>\n`;
    });
}

function joined(words: readonly Html[]): Html {
  return html`${words.map((word, at) => (at === 0 ? word : html` or ${word}`))}`;
}
