import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import type { RequestPage } from "../../operate/log-index/log-index.ts";
import type { LogState } from "../../operate/log-index/request-log.ts";
import { counted } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import { requestPath, requestsOf, requestsPath } from "./addresses.ts";
import type { CsvTable } from "./csv.ts";
import { homeTrail, type Page } from "./page.ts";
import { dataTable, heading, logNotices, noLog, pager, selectField, time } from "./parts.ts";
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

const perPage = 50;
/** A spreadsheet gets more requests than a page, since it has no links to further pages. */
const maxRows = 10_000;

export const requestsRoute = route("/requests", async (asked, inspection) => {
  const { log, signal } = inspection;
  const query = requestQuery(asked.query);
  if (log === undefined) return requestsWithoutLog();
  await log.refresh();
  const { filter, after } = query;
  const limit = asked.query.get("format") === "csv" ? maxRows : perPage;
  const found = await log.index.find({ filter, after, limit }, signal);
  const [state, reader] = [log.state(), inspection.reader()];
  const main = html`<h1>Requests</h1>
${logNotices(state, reader)}
${filterForm(query)}
<p class="lead" role="status">${summary(query, found, state)}</p>
${
  found.lines.length > 0 &&
  dataTable("Requests, newest first", found.lines, {
    Request: heading(
      ({ requestId }) =>
        html`<a class="row-link" href="${requestPath(requestId)}"><code>${requestId}</code></a>`,
    ),
    When: (line) => time(line.time, reader),
    Answer: statusBadge,
    "Asked for": (line) => html`<bdi>${askedWords(line)}</bdi>`,
    By: keyLinks,
  })
}
${pagesOf(query, found)}`;
  const tables = [requestsTable(found.lines)];
  return { status: 200, title: "Requests", trail: homeTrail, main, tables };
});

function requestsTable(lines: readonly RequestLogLine[]): CsvTable {
  const columns = ["time", "requestId", "status", "route", "programId", "tenantId", "tokenId"] as const;
  const more = ["durationMs", "bytes", "snapshotId", "causeCode", "cause"] as const;
  const all = [...columns, ...more];
  return { name: "requests", columns: all, rows: lines.map((line) => all.map((column) => line[column])) };
}

export function requestsWithoutLog(): Page {
  return { status: 200, title: "Requests", trail: homeTrail, main: html`<h1>Requests</h1>${noLog()}` };
}

function summary({ given, after }: RequestQueryText, { total }: RequestPage, { covers }: LogState): string {
  if (covers === null) return "The log has no request yet.";
  const span = `The log covers ${covers.from.slice(0, 16)}Z to ${covers.to.slice(0, 16)}Z.`;
  const noun = counted(total, "request");
  const which = Object.keys(given).length > 0 ? `${noun} like this.` : `${noun}.`;
  return `${which}${after === undefined ? "" : " Older ones of them."} ${span}`;
}

function keyLinks({ tokenId, tenantId }: RequestLogLine): Html {
  if (tokenId === null) return html`<span class="none">no known key</span>`;
  return html`<a class="${isShortWord(tokenId) ? "unbroken" : ""}" href="${requestsOf({ token: tokenId })}">${tokenId}</a>${tenantId !== null && html`, <a href="${requestsOf({ tenant: tenantId })}">${tenantId}</a>`}`;
}

/** Whether a line has room for the id. The log may hold any text as an id. */
function isShortWord(id: string): boolean {
  return /^\w{1,24}$/.test(id);
}

function pagesOf({ given, after }: RequestQueryText, { next }: RequestPage): Html | false {
  return pager(
    "More requests",
    after !== undefined && ["← Newest", requestsOf(given)],
    next !== undefined && ["Older →", requestsOf({ ...given, after: placeText(next) })],
  );
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
  const chosen = given[name] ?? "";
  const all: readonly (readonly [string, string])[] = [["", "any"], ...choices];
  const known = all.some(([value]) => value === chosen) ? all : [...all, [chosen, chosen] as const];
  return selectField(name, `by-${name}`, label, known, chosen);
}
