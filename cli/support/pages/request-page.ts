import { type Html, type HtmlValue, html } from "../../output/html.ts";
import type { ExplainedRequest } from "../request/explain-request.ts";
import { partnerMessage } from "../request/partner-message.ts";
import { explainPath, home, requestsOf, requestsPath, tenantPath } from "./addresses.ts";
import type { Page } from "./page.ts";
import { command, factList, notice, time } from "./parts.ts";
import { routeWords, statusBadge, statusTone } from "./request-words.ts";

/** All requests of one id: a client may use one more than once. */
export interface RequestView {
  readonly requestId: string;
  /** Newest first. */
  readonly requests: readonly ExplainedRequest[];
  readonly total: number;
}

/** Why a request was answered as it was, and what to tell the partner. */
export function requestPage({ requestId, requests, total }: RequestView, now: Date): Page {
  const isOne = requests.length === 1;
  const main = html`<h1>Request <bdi>${requestId}</bdi></h1>
${total > 1 && notice("neutral", html`<p>The id stands in ${total.toLocaleString("en")} requests: the client uses one for several.${total > requests.length && ` The newest ${requests.length} are shown.`}</p>`)}
${requests.map((request, at) => section(request, isOne ? "" : String(at + 1), now))}`;
  const trail = [
    { text: "Tenants", path: home },
    { text: "Requests", path: requestsPath },
  ];
  return { status: 200, title: requestId, trail, main };
}

function section(request: ExplainedRequest, number: string, now: Date): Html {
  const { line, summary, next } = request;
  const id = (name: string): string => `${name}${number}`;
  const heading = number === "" ? "What happened" : `What happened, ${number}`;
  return html`<section aria-labelledby="${id("what")}"><h2 id="${id("what")}">${heading}</h2>
${notice(statusTone(line.status, line.isCut), html`<p>${summary}</p>`)}
<h3>What to do next</h3>
<p>${next.text}</p>
${next.commands.length > 0 && html`<ul class="commands">${next.commands.map((text) => html`<li>${command(text)}</li>`)}</ul>`}
<div class="message"><label for="${id("message")}">To send to the partner</label>
<textarea id="${id("message")}" rows="4" readonly>${partnerMessage(request)}</textarea></div>
${factList(facts(request, now))}</section>`;
}

function facts(
  { line, token }: ExplainedRequest,
  now: Date,
): readonly (readonly [label: string, value: HtmlValue])[] {
  const { tenantId, tokenId, programId, snapshotId, objectKey, bytes, durationMs } = line;
  const name = token.kind === "known" ? token.token.name : null;
  return [
    ["When", time(line.time, now)],
    [
      "Answer",
      html`${statusBadge(line)}${bytes !== null && ` ${bytes.toLocaleString("en")} bytes`}${durationMs !== null && `, after ${durationMs} ms`}`,
    ],
    ["Asked for", `${line.method ?? "?"}, ${routeWords[line.route] ?? line.route}`],
    [
      "Program",
      programId !== null &&
        (tenantId === null
          ? programId
          : html`<a href="${explainPath(tenantId, programId)}">${programId}</a>`),
    ],
    ["Tenant", tenantId !== null && html`<a href="${tenantPath(tenantId)}">${tenantId}</a>`],
    [
      "Access key",
      tokenId === null
        ? "none that the gateway knows"
        : html`<a href="${requestsOf({ token: tokenId })}">${tokenId}</a>${name !== null && html` <bdi>${name}</bdi>`}`,
    ],
    [
      "Key in the registry",
      token.kind === "foreign" ? "not in this store’s" : token.kind === "unavailable" && token.reason,
    ],
    ["Client’s address", line.client],
    ["Snapshot", snapshotId !== null && html`<code>${snapshotId}</code>`],
    ["Object", objectKey !== null && html`<code>${objectKey}</code>`],
    ["The log says", line.cause],
  ];
}
