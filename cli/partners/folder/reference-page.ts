import { type Html, html } from "../../output/html.ts";
import { type ApiDocument, type Operation, type Parameter, type PathItem, resolved } from "./api-document.ts";
import { codeBlock, codeTabs } from "./code-block.ts";
import type { PageHeading } from "./guide-page.ts";
import { headerRows, headerTable } from "./reference-headers.ts";
import { schemaSections } from "./reference-schemas.ts";
import { requestSamples } from "./request-samples.ts";
import { boundWords, proseMarkup, typeWords } from "./schema-words.ts";
import type { SitePage } from "./site-page.ts";

/** W72: every operation, parameter, status, header and field of the document, with what it says of them. */
export function referencePage(document: ApiDocument): SitePage {
  const { info, servers, paths, components } = document;
  const baseUrl = servers[0]?.url ?? "";
  const operations = Object.entries(paths);
  const headings: PageHeading[] = [
    { level: 2, id: "authentication", text: "Authentication" },
    ...operations.map(([path, { get }]) => ({ level: 2 as const, id: get.operationId, text: `GET ${path}` })),
    { level: 2, id: "headers", text: "Headers of answers" },
    { level: 2, id: "schemas", text: "Schemas" },
    ...Object.keys(components.schemas).map((name) => ({
      level: 3 as const,
      id: `schema-${name}`,
      text: name,
    })),
  ];
  const body = html`<h1>Reference</h1>
<p class="lead">${info.summary} Version ${info.version} of the specification, made from <a href="openapi.json">openapi.json</a>.</p>
<table class="facts"><tbody>
<tr><th scope="row">base address</th><td><code>${baseUrl}</code></td></tr>
<tr><th scope="row">method</th><td>GET alone; without query parameters and bodies</td></tr>
<tr><th scope="row">answers</th><td>JSON, UTF-8, with gzip where you accept it</td></tr>
</tbody></table>
<h2 id="authentication">Authentication</h2>
${Object.values(components.securitySchemes).map(({ description }) => html`<p>${proseMarkup(description)}</p>`)}
${operations.map(([path, item]) => operationSection(document, baseUrl, path, item))}
<h2 id="headers">Headers of answers</h2>
${headerTable(document)}
<h2 id="schemas">Schemas</h2>
<p>Every field is always there. One that may hold <code>null</code> says so. Later versions may add fields: ignore what you do not know.</p>
${schemaSections(document)}`;
  return { name: "reference", title: "Reference", headings, body: body.markup };
}

function operationSection(document: ApiDocument, baseUrl: string, path: string, item: PathItem): Html {
  const { get } = item;
  const parameters = item.parameters.map((part) => resolved(document, part));
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    return String(parameters.find((parameter) => parameter.name === name)?.example ?? "");
  });
  return html`<h2 id="${get.operationId}"><span class="method">GET</span> <code>${path}</code>${get.deprecated && html` <span class="tag">deprecated</span>`}</h2>
<p><strong>${get.summary}.</strong> ${proseMarkup(get.description)}</p>
${codeTabs(`call-${get.operationId}`, requestSamples(baseUrl, filled))}
<h3 id="${get.operationId}-parameters">Parameters</h3>
<table><thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">meaning</th></tr></thead><tbody>
${parameters.map(parameterRow)}
</tbody></table>
${Object.entries(get.responses).map(([status]) => responseSection(document, get, status))}`;
}

function parameterRow({ name, in: place, required, description, schema, example }: Parameter): Html {
  return html`<tr><th scope="row"><code>${name}</code></th><td data-label="in">${place}, ${required ? "required" : "optional"}</td>
<td data-label="meaning">${proseMarkup(description)}<small>${typeWords(schema)}${boundWords(schema).map((bound) => html`, ${bound}`)}${example !== undefined && html`, such as <code>${String(example)}</code>`}</small></td></tr>
`;
}

function responseSection(document: ApiDocument, { operationId, responses }: Operation, status: string): Html {
  const part = responses[status];
  if (part === undefined) return html``;
  const { description, headers, content } = resolved(document, part);
  const [json] = Object.values(content);
  const examples = Object.entries(json?.examples ?? {}).map(([name, example]) => {
    const { summary, value } = resolved(document, example);
    return html`<details><summary>Example: ${summary ?? words(name)}</summary>
${codeBlock({ language: "json", code: JSON.stringify(value, null, 2) })}</details>
`;
  });
  return html`<h3 id="${operationId}-${status}"><span class="status">${status}</span></h3>
<p>${proseMarkup(description)}${json !== undefined && html` The body is of the type ${typeWords(json.schema)}.`}</p>
${examples}
<details><summary>Headers of this ${status}</summary>
<table><thead><tr><th scope="col">header</th><th scope="col">there</th><th scope="col">meaning</th></tr></thead><tbody>
${headerRows(document, headers)}
</tbody></table></details>
`;
}

/** A name of the document in words: `capacityAsTotal` is `capacity as total`. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
}
