import { type Html, html } from "../../output/html.ts";
import { type ApiDocument, type Parameter, type PathItem, resolved } from "./api-document.ts";
import { codeTabs } from "./code-block.ts";
import { errorItem, successPart } from "./reference-answers.ts";
import { unfoldedFields } from "./reference-fields.ts";
import { allHeaders } from "./reference-headers.ts";
import { requestSamples } from "./request-samples.ts";
import { boundWords, proseBlocks, proseMarkup, schemaId, typeWords } from "./schema-words.ts";
import type { PageHeading, SitePage } from "./site-page.ts";

/** W72: every operation, parameter, status, header and field of the document, with its description. */
export function referencePage(document: ApiDocument): SitePage {
  const { info, servers, paths, components } = document;
  const baseUrl = servers[0]?.url ?? "";
  const operations = Object.entries(paths);
  const headings: PageHeading[] = [
    { level: 2, id: "authentication", text: "Authentication" },
    ...operations.flatMap(([path, { get }]): readonly PageHeading[] => [
      { level: 2, id: get.operationId, text: `GET ${path}` },
      { level: 3, id: `${get.operationId}-parameters`, text: "Parameters" },
      { level: 3, id: `${get.operationId}-200`, text: "Answer" },
      { level: 3, id: `${get.operationId}-errors`, text: "Errors" },
    ]),
    { level: 2, id: "errors", text: "The form of errors" },
    { level: 2, id: "headers", text: "Headers of answers" },
    { level: 2, id: "kinds", text: "Kinds of strings" },
  ];
  const error = components.schemas.ErrorResponse ?? {};
  const body = html`<h1>Reference</h1>
<p class="lead">${info.summary} Version ${info.version} of the specification, made from <a href="openapi.json">openapi.json</a>.</p>
<table class="facts"><tbody>
<tr><th scope="row">base address</th><td><code>${baseUrl}</code></td></tr>
<tr><th scope="row">method</th><td>GET alone; without query parameters and bodies</td></tr>
<tr><th scope="row">answers</th><td>JSON, UTF-8, with gzip where you accept it. Every field is always there; one that may hold <code>null</code> says so. Later versions may add fields: ignore what you do not know</td></tr>
</tbody></table>
<h2 id="authentication">Authentication</h2>
${Object.values(components.securitySchemes).map(({ description }) => proseBlocks(description))}
${operations.map(([path, item]) => operationSection(document, baseUrl, path, item))}
<h2 id="errors">The form of errors</h2>
<p>${proseMarkup(error.description ?? "")}</p>
${proseBlocks(components.schemas.ErrorDetail?.description ?? "")}
${unfoldedFields(document, { $ref: "#/components/schemas/ErrorResponse" }, "error").markup}
<h2 id="headers">Headers of answers</h2>
${allHeaders(document)}
<h2 id="kinds">Kinds of strings</h2>
<ul class="fields">
${Object.entries(components.schemas)
  .filter(([, schema]) => schema.properties === undefined)
  .map(
    ([
      name,
      schema,
    ]) => html`<li id="${schemaId(name)}"><p class="field"><code>${name}</code> <span class="type">${typeWords(document, schema)}${boundWords(schema).map((bound) => html`, ${bound}`)}</span></p>
<p>${proseMarkup(schema.description ?? "")}</p></li>
`,
  )}</ul>`;
  return { name: "reference", title: "Reference", headings, body: body.markup, isWide: true };
}

function operationSection(document: ApiDocument, baseUrl: string, path: string, item: PathItem): Html {
  const { get } = item;
  const parameters = item.parameters.map((part) => resolved(document, part));
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    return String(parameters.find((parameter) => parameter.name === name)?.example ?? "");
  });
  const refusals = Object.keys(get.responses).filter((status) => status !== "200");
  return html`<section class="operation"><h2 id="${get.operationId}"><span class="method">GET</span> <code>${path}</code>${get.deprecated && html` <span class="tag">deprecated</span>`}</h2>
<div class="beside"><div>
<p><strong>${get.summary}.</strong> ${proseMarkup(get.description)}</p>
<h3 id="${get.operationId}-parameters">Parameters</h3>
<ul class="fields">
${parameters.map((parameter) => parameterItem(document, parameter))}</ul>
</div><div class="aside">
${codeTabs(`call-${get.operationId}`, requestSamples(baseUrl, filled))}
</div></div>
${successPart(document, get)}
<h3 id="${get.operationId}-errors">Errors</h3>
<p>All have <a href="#errors">one form</a>.</p>
<ul class="fields errors">
${refusals.map((status) => errorItem(document, get, status))}</ul></section>
`;
}

function parameterItem(document: ApiDocument, parameter: Parameter): Html {
  const { name, in: place, required, description, schema, example } = parameter;
  return html`<li><p class="field"><code>${name}</code> <span class="type">${place}, ${required ? "required" : "optional"}; ${typeWords(document, schema)}</span></p>
<p>${proseMarkup(description)}${example !== undefined && html` <small>Such as <code>${String(example)}</code></small>`}</p></li>
`;
}
