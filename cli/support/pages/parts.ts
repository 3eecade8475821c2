import type { LogState } from "../../operate/gateway-log/recent-answers.ts";
import { type Html, type HtmlValue, html } from "../../output/html.ts";
import { exactTime, type Reader, relativeTime } from "../../output/times.ts";
import type { Step } from "../judgement/steps.ts";
import { type DescribedRow, type Piece, rowsOf } from "../texts/description.ts";

/** The meaning of a statement, shown by a colour. The words always say it, too. */
export type Tone = "good" | "doubtful" | "bad" | "neutral";

export function time(rfc3339: string, { now, zone }: Reader): Html {
  const exact = exactTime(rfc3339, zone);
  return html`<time datetime="${exactTime(rfc3339)}"><span class="when">${relativeTime(new Date(rfc3339), now)}</span> <span class="exact">${exact}</span></time>`;
}

export function badge(text: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

export function notice(tone: Tone, content: HtmlValue): Html {
  return html`<div class="notice ${tone}">${content}</div>`;
}

/** A part of a page with its heading. The id names the part, so that an address can lead to it. */
export function section(id: string, heading: HtmlValue, content: HtmlValue): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>
${content}</section>`;
}

export function command(text: string): Html {
  return html`<code class="command">partner-programs ${text}</code>`;
}

/** The description that commands print, as a list for a page. */
export function describedList(described: readonly DescribedRow[], reader: Reader): Html {
  const rows = rowsOf(described).map(({ label, lines }) => {
    const value = lines.map(
      (line, at) => html`${at > 0 && html`<br>`}${line.map((piece) => pieceHtml(piece, reader))}`,
    );
    return [`${label.charAt(0).toUpperCase()}${label.slice(1)}`, value] as const;
  });
  return labelledList(rows, "steps");
}

function pieceHtml(piece: Piece, reader: Reader): Html {
  if (typeof piece === "string") return html`${piece}`;
  if ("time" in piece) return time(piece.time, reader);
  if ("tone" in piece) return html`<strong class="${piece.tone}">${piece.text}</strong>`;
  const id = html`<code>${piece.id}</code>`;
  return piece.page === undefined || piece.page === "" ? id : html`<a href="${piece.page}">${id}</a>`;
}

/** The next steps: those of support, and apart from them those of operations. */
export function stepList(steps: readonly Step[]): Html {
  const of = (who: Step["who"]): readonly Step[] => steps.filter((step) => step.who === who);
  const list = (own: readonly Step[]): Html =>
    html`<ul class="plain commands">${own.map(({ text, commands }) => html`<li>${text}${commands.map((line) => html`<br>${command(line)}`)}</li>`)}</ul>`;
  const [support, operations] = [of("support"), of("operations")];
  return html`${support.length > 0 && list(support)}${operations.length > 0 && html`<p class="rule">For operations:</p>${list(operations)}`}`;
}

/** Labels with their values: the kind `brief` puts them side by side, `steps` below each other. */
export function labelledList(
  rows: readonly (readonly [label: string, value: HtmlValue])[],
  kind: "brief" | "steps" = "brief",
): Html {
  return html`<dl class="facts ${kind}">${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

type Cell<Row> = (row: Row) => HtmlValue;
type Column<Row> = Cell<Row> | { readonly kind: "heading" | "number"; readonly cell: Cell<Row> };

/** A column that names the row. In a narrow table, its cell is the card's heading. */
export function heading<Row>(cell: Cell<Row>): Column<Row> {
  return { kind: "heading", cell };
}

export function numeric<Row>(cell: Cell<Row>): Column<Row> {
  return { kind: "number", cell };
}

/**
 * A table with a column for each entry of `columns`: the title, and the function that gives a row's cell. It becomes a list of
 * cards where it is narrow. ARIA roles keep its meaning as a table there, since browsers drop it when the display changes.
 */
export function dataTable<Row>(
  caption: string,
  rows: readonly Row[],
  columns: Readonly<Record<string, Column<Row>>>,
): Html {
  const known = Object.entries(columns).map(([title, column]) =>
    typeof column === "function" ? { title, kind: "text", cell: column } : { title, ...column },
  );
  return html`<table role="table">
<caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${known.map(({ title, kind }) => html`<th role="columnheader" scope="col" class="${kind}">${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) =>
      html`<tr role="row">${known.map(({ title, kind, cell }) => html`<td role="cell" class="${kind}" data-label="${title}"><span>${cell(row)}</span></td>`)}</tr>`,
  )}</tbody>
</table>`;
}

const perPage = 50;

/** The rows of a list that belong on the page that the address asks for, and which page that is, from 1. */
export function pageOf<Row>(all: readonly Row[], query: URLSearchParams) {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  const page = Math.min(Math.max(1, Math.trunc(Number(query.get("page") ?? 1)) || 1), pages);
  const rows = all.slice((page - 1) * perPage, page * perPage);
  return { rows, page, pages, place: pages > 1 ? `, page ${page} of ${pages}` : "" };
}

/** Links to the pages of a list before and after this one. `part`: the id of the list's section. */
export function pager(
  { page, pages }: { readonly page: number; readonly pages: number },
  path: string,
  part: string,
): Html | false {
  if (pages === 1) return false;
  const link = (to: number, text: string): Html =>
    html`<li><a href="${path}?page=${to}#${part}">${text}</a></li>`;
  return html`<nav class="pager" aria-label="Pages"><ul>${page > 1 && link(page - 1, "← Earlier")}${page < pages && link(page + 1, "Later →")}</ul></nav>`;
}

/** Notices about gaps in the logs, which a reader must know before believing that something is missing. */
export function logNotices({ faults }: Pick<LogState, "faults">): readonly Html[] {
  return faults.map((fault) => notice("doubtful", html`<p>${fault}</p>`));
}
