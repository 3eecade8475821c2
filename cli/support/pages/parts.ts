import { type Html, type HtmlValue, html } from "../../output/html.ts";
import { exactTime, relativeTime } from "../../output/relative-time.ts";
import { calendarDay, money } from "../../publish/public-program/value-words.ts";
import type { LastTry } from "../read-confirmed.ts";

/** How a statement is meant; it is always said in words, too. */
export type Tone = "good" | "doubtful" | "bad" | "neutral";

/** A time, relative for reading and exact for looking it up. */
export function time(rfc3339: string, now: Date): Html {
  const exact = exactTime(rfc3339);
  return html`<time datetime="${exact}"><span class="when">${relativeTime(new Date(rfc3339), now)}</span> <span class="exact">${exact}</span></time>`;
}

/** When a live snapshot was last found to be what the source says. */
export function confirmedTime(confirmedAt: string | null, now: Date): Html {
  return confirmedAt === null ? html`not known` : time(confirmedAt, now);
}

/** A calendar day in words, on one line. */
export function day(date: string | null): Html | null {
  return date === null ? null : html`<time class="whole" datetime="${date}">${calendarDay(date)}</time>`;
}

/** A calendar day in figures, on one line; `–` for none. */
export function shortDay(date: string | null): Html {
  return date === null ? html`–` : html`<time class="whole" datetime="${date}">${date}</time>`;
}

/** An amount and its currency, on one line. */
export function price(amount: number, currency: string | null): Html {
  return html`<span class="whole">${money(amount, currency)}</span>`;
}

export function badge(text: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

export function outcomeBadge({ outcome }: Pick<LastTry, "outcome">): Html {
  const tones: Readonly<Record<string, Tone>> = {
    failed: "bad",
    refused: "bad",
    held: "doubtful",
    skipped: "doubtful",
    interrupted: "doubtful",
  };
  return badge(outcome, tones[outcome] ?? "good");
}

/** Labels with what is to be said of them; what is `null` is left out. Short ones stand side by side, steps below each other. */
export function factList(
  rows: readonly (readonly [label: string, value: HtmlValue])[],
  kind: "brief" | "steps" = "brief",
): Html {
  const known = rows.filter(([, value]) => value !== null && value !== undefined && value !== false);
  return html`<dl class="facts ${kind}">${known.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export interface TableColumn {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Names the row: the card's heading where the table is narrow. */
  readonly isHeading?: boolean;
}

/**
 * A table that becomes a list of cards where it is narrow. The roles say what it is also there, since browsers forget a
 * table's meaning when its display changes.
 */
export function dataTable(
  caption: string,
  columns: readonly TableColumn[],
  rows: readonly (readonly HtmlValue[])[],
): Html {
  const kind = ({ isNumber, isHeading }: TableColumn): string =>
    isNumber === true ? "number" : isHeading === true ? "heading" : "text";
  return html`<table role="table" class="${columns.length >= wideColumns ? "wide" : "narrow"}">
<caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col" class="${kind(column)}">${column.title}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${columns.map(
        (column, at) =>
          html`<td role="cell" class="${kind(column)}" data-label="${column.title}"><span>${cells[at]}</span></td>`,
      )}</tr>`,
  )}</tbody>
</table>`;
}

/** A table of so many columns has no room for them on a tablet held upright. */
const wideColumns = 6;

/** Something that the reader must not overlook. */
export function notice(tone: Tone, content: HtmlValue): Html {
  return html`<div class="notice ${tone}">${content}</div>`;
}

/** A line for a shell, to be copied. */
export function shellLine(text: string): Html {
  return html`<code class="command">${text}</code>`;
}

/** A command to be copied. */
export function command(text: string): Html {
  return html`<code class="command">partner-programs ${text}</code>`;
}
