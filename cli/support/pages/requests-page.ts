import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import type { RequestPage } from "../../operate/log-index/log-index.ts";
import type { LogState } from "../../operate/log-index/request-log.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { home, requestPath, requestsOf, requestsPath } from "./addresses.ts";
import type { Page } from "./page.ts";
import { dataTable, logNotices, noLog, time } from "./parts.ts";
import {
  askedWords,
  placeText,
  type RequestField,
  type RequestQueryText,
  requestQuery,
  routeWords,
  statusBadge,
  statusWords,
} from "./request-query.ts";
import { route } from "./route.ts";

/** Requests of the log, newest first. */
export interface RequestsView {
  readonly query: RequestQueryText;
  readonly found: RequestPage;
  readonly state: LogState;
}

const trail = [{ text: "Tenants", path: home }];

function requestsPage({ query, found, state }: RequestsView, reader: Reader): Page {
  const main = html`<h1>Requests</h1>
${logNotices(state, reader)}
${filterForm(query)}
<p class="lead" role="status">${summary(query, found, state)}</p>
${
  found.lines.length > 0 &&
  dataTable(
    "Requests, newest first",
    [
      { title: "Request", isHeading: true },
      { title: "When" },
      { title: "Answer" },
      { title: "Asked for" },
      { title: "By" },
    ],
    found.lines.map((line) => cells(line, reader)),
  )
}
${pager(query, found)}`;
  return { status: 200, title: "Requests", trail, main };
}

/** Where no log was given. */
export function requestsWithoutLog(): Page {
  return { status: 200, title: "Requests", trail, main: html`<h1>Requests</h1>${noLog()}` };
}

function summary({ given, after }: RequestQueryText, { total }: RequestPage, { covers }: LogState): string {
  if (covers === null) return "The log has no request yet.";
  const span = `The log covers ${covers.from.slice(0, 16)}Z to ${covers.to.slice(0, 16)}Z.`;
  const noun = `${total.toLocaleString("en")} ${total === 1 ? "request" : "requests"}`;
  const which = Object.keys(given).length > 0 ? `${noun} like this.` : `${noun}.`;
  return `${which}${after === undefined ? "" : " Older ones of them."} ${span}`;
}

function cells(line: RequestLogLine, reader: Reader): readonly Html[] {
  const { requestId, tokenId, tenantId } = line;
  const own = { ...(tenantId === null ? {} : { tenant: tenantId }) };
  return [
    html`<a class="row-link" href="${requestPath(requestId)}"><code>${requestId}</code></a>`,
    time(line.time, reader),
    statusBadge(line),
    html`${askedWords(line)}`,
    tokenId === null
      ? html`<span class="none">no known key</span>`
      : html`<a href="${requestsOf({ token: tokenId })}">${tokenId}</a>${tenantId !== null && html`, <a href="${requestsOf(own)}">${tenantId}</a>`}`,
  ];
}

function pager({ given, after }: RequestQueryText, { next }: RequestPage): Html | false {
  if (after === undefined && next === undefined) return false;
  const link = (text: string, place: string | undefined): Html => {
    const address = requestsOf({ ...given, ...(place === undefined ? {} : { after: place }) });
    return html`<li><a href="${address}">${text}</a></li>`;
  };
  return html`<nav class="pager" aria-label="More requests"><ul>
${after !== undefined && link("← Newest", undefined)}
${next !== undefined && link("Older →", placeText(next))}
</ul></nav>`;
}

function filterForm({ given }: RequestQueryText): Html {
  return html`<form class="search filter" action="${requestsPath}" method="get" aria-label="Requests">
${field("tenant", "Tenant", given)}
${field("token", "Key id", given)}
${field("program", "Program id", given)}
${choice("status", "Answer", statusChoices, given)}
${choice("route", "Asked for", Object.entries(routeWords), given)}
${field("from", "From (UTC)", given, "datetime-local")}
${field("to", "To (UTC)", given, "datetime-local")}
<div><button>Show</button></div>
</form>`;
}

const statusChoices: readonly (readonly [string, string])[] = [
  ["errors", "all but answered"],
  ["4xx", "refused (4xx)"],
  ["5xx", "our fault (5xx)"],
  ...[200, 400, 401, 403, 404, 405, 429].map((status): readonly [string, string] => [
    String(status),
    statusWords(status),
  ]),
];

function field(
  name: RequestField,
  label: string,
  given: RequestQueryText["given"],
  type: "text" | "datetime-local" = "text",
): Html {
  const id = `by-${name}`;
  const value = type === "text" ? (given[name] ?? "") : (given[name] ?? "").replace(/Z$/, "");
  return html`<div><label for="${id}">${label}</label><input id="${id}" name="${name}" type="${type}" value="${value}" autocomplete="off" spellcheck="false"></div>`;
}

function choice(
  name: RequestField,
  label: string,
  choices: readonly (readonly [string, string])[],
  given: RequestQueryText["given"],
): Html {
  const id = `by-${name}`;
  const chosen = given[name] ?? "";
  const all: readonly (readonly [string, string])[] = [["", "any"], ...choices];
  const known = all.some(([value]) => value === chosen) ? all : [...all, [chosen, chosen] as const];
  return html`<div><label for="${id}">${label}</label><select id="${id}" name="${name}">${known.map(
    ([value, text]) =>
      value === chosen
        ? html`<option value="${value}" selected>${text}</option>`
        : html`<option value="${value}">${text}</option>`,
  )}</select></div>`;
}

export const requestsRoute = route({
  pattern: "/requests",
  parse: (_, query) => requestQuery(query),
  page: async (query, { log, reader, signal }) => {
    if (log === undefined) return requestsWithoutLog();
    await log.refresh();
    const found = await log.index.find({ filter: query.filter, after: query.after, limit: perPage }, signal);
    return requestsPage({ query, found, state: log.state() }, reader());
  },
});

const perPage = 50;
