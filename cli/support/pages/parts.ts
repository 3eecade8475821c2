import { type Html, type HtmlValue, html } from "../../output/html.ts";
import { exactTime, numberText, type Reader, relativeTime } from "../../output/words.ts";
import type { LogState } from "../../read/gateway-log/recent-answers.ts";
import { type PrintedStep, stepText } from "../judgement/steps.ts";
import { type DescribedRow, type Piece, rowsOfDescription } from "../texts/description.ts";

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
  const rows = rowsOfDescription(described).map(({ label, lines }) => {
    const value = lines.map(
      (line, at) => html`${at > 0 && html`<br>`}${line.map((piece) => pieceHtml(piece, reader))}`,
    );
    return [`${label.charAt(0).toUpperCase()}${label.slice(1)}`, value] as const;
  });
  return labelledList(rows);
}

function pieceHtml(piece: Piece, reader: Reader): Html {
  if (typeof piece === "string") return html`${piece}`;
  if ("time" in piece) return time(piece.time, reader);
  if ("tone" in piece) return html`<strong class="${piece.tone}">${piece.text}</strong>`;
  const id = html`<code>${piece.id}</code>`;
  return piece.page === undefined || piece.page === "" ? id : html`<a href="${piece.page}">${id}</a>`;
}

export function stepList(steps: readonly PrintedStep[]): Html {
  return html`<ul class="plain commands">${steps.map((step) => html`<li>${stepText(step)}${step.commands.map((line) => html`<br>${command(line)}`)}</li>`)}</ul>`;
}

/** Labels with their values, below each other. */
export function labelledList(rows: readonly (readonly [label: string, value: HtmlValue])[]): Html {
  return html`<dl class="facts">${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

type Columns<Row> = Readonly<Record<string, (row: Row) => HtmlValue>>;

/**
 * A table with a column for each entry of `columns`: the title, and the function that gives a row's cell. The
 * first names the row. Where it is narrow it becomes a list of cards. ARIA roles keep its meaning as a table
 * there, since browsers drop it when the display changes.
 */
export function dataTable<Row>(caption: string, rows: readonly Row[], columns: Columns<Row>): Html {
  const cells = Object.entries(columns);
  return html`<table role="table">
<caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${cells.map(([title]) => html`<th role="columnheader" scope="col">${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) =>
      html`<tr role="row">${cells.map(([title, cell]) => html`<td role="cell" data-label="${title}"><span>${cell(row)}</span></td>`)}</tr>`,
  )}</tbody>
</table>`;
}

/** A person reads no more rows of a table. The box on every page finds the others. */
export const maxRows = 50;

/** The first rows of a table, and how many there are more. */
export function longTable<Row>(caption: string, rows: readonly Row[], columns: Columns<Row>): Html {
  const rest = rows.length - maxRows;
  return html`${dataTable(caption, rows.slice(0, maxRows), columns)}${rest > 0 && html`<p>… and ${numberText(rest)} more: the box above finds them.</p>`}`;
}

/** Notices about gaps in the logs, which a reader must know before believing that something is missing. */
export function logNotices({ faults }: Pick<LogState, "faults">): readonly Html[] {
  return faults.map((fault) => notice("doubtful", html`<p>${fault}</p>`));
}
