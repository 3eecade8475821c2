import { asFailure, Failure } from "../../../core/failure.ts";
import { type Html, html } from "../../output/html.ts";
import { home } from "./addresses.ts";
import { auditRoute } from "./audit-page.ts";
import { comparisonRoute } from "./comparison-page.ts";
import { type CsvTable, csvText } from "./csv.ts";
import { diffRoute } from "./diff-page.ts";
import { explainRoute } from "./explain-page.ts";
import { findRoute } from "./find-page.ts";
import { healthRoute } from "./health-page.ts";
import { homeTrail, type Page } from "./page.ts";
import { notice, type Tone } from "./parts.ts";
import { programRoute, snapshotProgramRoute } from "./program-page.ts";
import { requestRoute } from "./request-page.ts";
import { requestsRoute } from "./requests-page.ts";
import type { Answer, Download, Inspection, Route } from "./route.ts";
import { snapshotRoute, snapshotsRoute } from "./snapshots-page.ts";
import { tenantRoute } from "./tenant-page.ts";
import { tenantsRoute } from "./tenants-page.ts";
import { timelineRoute } from "./timeline-page.ts";
import { tokensRoute } from "./tokens-page.ts";

/** No two routes match the same address. */
const routes: readonly Route[] = [
  tenantsRoute,
  tenantRoute,
  programRoute,
  diffRoute,
  explainRoute,
  requestsRoute,
  requestRoute,
  tokensRoute,
  auditRoute,
  findRoute,
  healthRoute,
  timelineRoute,
  comparisonRoute,
  snapshotsRoute,
  snapshotRoute,
  snapshotProgramRoute,
];

/** The page at the address. Throws `not_found` when there is none. */
export async function pageAt(url: URL, inspection: Inspection): Promise<Answer> {
  const segments = url.pathname.split("/").slice(1).map(decoded);
  for (const route of routes) {
    const answer = route(segments, url.searchParams, inspection);
    if (answer === undefined) continue;
    const page = await answer;
    return "main" in page ? pageOrTable(page, url) : page;
  }
  throw new Failure("not_found", "There is no page at this address.");
}

/** Throws `usage` when the segment cannot be decoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new Failure("usage", "There is no page at this address.", { cause: error });
  }
}

/** The page. At the same address with `format=csv`, one of its tables: the one that `table` names, or the first. */
function pageOrTable(page: Page, url: URL): Page | Download {
  const tables = page.tables ?? [];
  if (url.searchParams.get("format") === "csv") return download(tables, url);
  if (tables.length === 0) return page;
  return { ...page, main: html`${page.main}${tableLinks(tables, url)}` };
}

function download(tables: readonly CsvTable[], url: URL): Download {
  const wanted = url.searchParams.get("table");
  const table = wanted === null ? tables[0] : tables.find(({ name }) => name === wanted);
  if (table === undefined) throw new Failure("not_found", "There is no such table on this page.");
  const place = url.pathname.replace(/^\/(tenants\/)?/, "").replace(/[^A-Za-z0-9._~-]+/g, "-");
  const fileName = `${place === "" ? "" : `${place}-`}${table.name}.csv`;
  return { fileName, contentType: "text/csv; charset=utf-8; header=present", body: csvText(table) };
}

function tableLinks(tables: readonly CsvTable[], url: URL): Html {
  const link = ({ name }: CsvTable): Html => {
    const query = new URLSearchParams(url.searchParams);
    query.set("format", "csv");
    query.set("table", name);
    return html`<li><a href="${url.pathname}?${query.toString()}">${name}</a></li>`;
  };
  return html`<nav class="tables" aria-label="Tables as CSV, for a spreadsheet"><p>For a spreadsheet (CSV):</p><ul>${tables.map(link)}</ul></nav>`;
}

/** A page that says what went wrong. Failures are written for operators, and so is this page. */
export function failurePage(error: unknown): Page {
  const { code, message } = asFailure(error);
  // P180: too many questions wait for the booking database. The page says so, and when to try again.
  if (code === "busy") return { ...messagePage(503, "Busy", "doubtful", message), retryAfterSeconds: 5 };
  if (code !== "not_found" && code !== "usage") {
    return messagePage(500, "This could not be read", "bad", message);
  }
  const ways = html`<ul class="ways"><li><a href="${home}">All tenants</a></li></ul>`;
  return messagePage(404, "Not found", "bad", message, ways);
}

function messagePage(
  status: number,
  title: string,
  tone: Tone,
  message: string,
  ways: Html | false = false,
): Page {
  const main = html`<h1>${title}</h1>${notice(tone, html`<p>${message}</p>`)}
${ways}`;
  return { status, title, trail: homeTrail, main };
}
