import { Failure } from "../../../core/failure.ts";
import { type Html, html } from "../../output/html.ts";
import type { Download } from "./answer.ts";
import { type CsvTable, csvText } from "./csv.ts";
import type { Page } from "./page.ts";

/** The page; or, at the same address with `format=csv`, one of its tables, by `table` or the first. */
export function pageOrTable(page: Page, url: URL): Page | Download {
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
