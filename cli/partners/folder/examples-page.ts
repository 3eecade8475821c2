import { type Html, html } from "../../output/html.ts";
import { packageFile } from "../../shell/package-file.ts";
import { codeBlock, jsonBlock } from "./code-block.ts";
import type { Company } from "./company.ts";
import type { SitePage } from "./site-page.ts";

/** A request that a gateway really answered, and its answer, as `scripts/record-exchanges.ts` recorded them. */
export interface Exchange {
  /** The name of the file in `examples/`, also the anchor on the page and the `X-Request-Id` of the request. */
  readonly name: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** `valid` stands for a token that may not be shown. */
  readonly token: "valid" | "none" | "wrong" | "valid, without the scope" | "valid, its quota used up";
  /** The value of `Snapshot-Since`, where the request has one. */
  readonly snapshotSince?: string;
  readonly status: number;
  /** The reason phrase after the status. */
  readonly reason: string;
  /** The headers as the gateway wrote them, in its order, without `connectionHeaders`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The file with the exchanges, from the project's root. */
export const exchangesFile = "docs/exchanges.json";

/** The headers that the examples leave out: they describe one connection and one moment. */
export const connectionHeaders: readonly string[] = ["Connection", "Content-Length", "Date", "Keep-Alive"];

export async function recordedExchanges(): Promise<readonly Exchange[]> {
  return JSON.parse(await packageFile(exchangesFile));
}

export function examplesPage(exchanges: readonly Exchange[], company: Company): SitePage {
  const body = html`<h1>Examples</h1>
<p class="lead">Answers of a real gateway. Their headers are as it wrote them, without
${connectionHeaders.map((name, at) => html`${at > 0 && ", "}<code>${name}</code>`)}. Their bodies were put into lines, as in the files of
<code>examples/</code>: on the wire each is one line. Companies, programs and people in them are invented.</p>
${exchanges.map((exchange) => exchangeSection(exchange, company))}`;
  return { name: "examples", title: "Examples", body: body.markup };
}

function exchangeSection(exchange: Exchange, { baseUrl }: Company): Html {
  const { name, title, method, path, token, snapshotSince, status, reason, headers } = exchange;
  const sent = [
    `${method} ${new URL(baseUrl).pathname.replace(/\/$/, "")}${path} HTTP/1.1`,
    `Host: ${new URL(baseUrl).host}`,
    `X-Request-Id: ${exampleId(name)}`,
    ...authorization(token),
    ...(snapshotSince === undefined ? [] : [`Snapshot-Since: ${snapshotSince}`]),
  ];
  const received = [
    `HTTP/1.1 ${status} ${reason}`,
    ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
  ];
  return html`<h2 id="${exampleId(name)}">${title}</h2>
${codeBlock(sent.join("\n"))}
${codeBlock(received.join("\n"))}
${jsonBlock(exchange.body)}
<p><a href="examples/${name}.json">${name}.json</a></p>
`;
}

function exampleId(name: string): string {
  return `example-${name}`;
}

function authorization(token: Exchange["token"]): readonly string[] {
  if (token === "none") return [];
  if (token === "wrong") return ["Authorization: Bearer ppr_mistyped"];
  return [`Authorization: Bearer ppr_...${token === "valid" ? "" : `   (${token.replace("valid, ", "")})`}`];
}
