import { printableJson } from "../../core/printable.ts";
import type { ProgramDetail } from "../../schemas/generated/types.ts";
import { explainPath, home, tenantPath } from "./addresses.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./page.ts";
import { factList, notice } from "./parts.ts";
import {
  contentSection,
  hotelsSection,
  mediaSection,
  peopleSection,
  pricesSection,
} from "./program-sections.ts";
import { calendarDay, emptyFields, money } from "./program-words.ts";

/** A program as partners get it. */
export interface ProgramPageView {
  readonly tenantId: string;
  readonly programId: string;
  readonly snapshotId: string;
  readonly objectKey: string;
  readonly sha256: string;
  /** What the bytes say. */
  readonly document: unknown;
  /** The same, if it fits the schema of this version. */
  readonly program: ProgramDetail | null;
}

export function programPage(view: ProgramPageView): Page {
  const { tenantId, programId, program, document, objectKey, sha256, snapshotId } = view;
  const main = html`<h1><bdi>${program?.name ?? programId}</bdi></h1>
<p class="lead">What partners get for <code>${programId}</code>. <a href="${explainPath(tenantId, programId)}">Is it up to date?</a></p>
${
  program === null
    ? notice(
        "doubtful",
        html`<p>The stored document does not fit the schema of this version; below is what it says.</p>`,
      )
    : readable(program, explainPath(tenantId, programId))
}
<section aria-labelledby="exact"><h2 id="exact">The exact answer</h2>
${factList(
  [
    ["Snapshot", html`<code>${snapshotId}</code>`],
    ["Object", html`<code>${objectKey}</code>`],
    ["SHA-256", html`<code>${sha256}</code>`],
  ],
  "steps",
)}
<details><summary>JSON, indented for reading</summary>
<pre tabindex="0">${printableJson(document)}</pre></details></section>`;
  const trail = [
    { text: "Tenants", path: home },
    { text: tenantId, path: tenantPath(tenantId) },
  ];
  return { status: 200, title: program?.name ?? programId, trail, main };
}

function readable(program: ProgramDetail, explain: string): Html {
  const { capacity, duration, guide, category, description } = program;
  const empty = emptyFields(program);
  const categories = [category?.type, category?.subtype].filter((part) => part != null).join(", ");
  return html`${factList([
    ["Departure", calendarDay(program.departureDate)],
    ["Return", calendarDay(program.returnDate)],
    ["Length", duration && `${duration.days} days, ${duration.nights} nights`],
    ["Places", `${capacity.remaining} free of ${capacity.total}, ${capacity.used} taken`],
    [
      "From",
      program.prices.startingAmount !== null && money(program.prices.startingAmount, program.currency),
    ],
    ["Category", categories !== "" && categories],
    ["Guide", guide && html`<bdi>${guide.name}</bdi>`],
    ["Departs from", program.departurePoint && html`<bdi>${program.departurePoint}</bdi>`],
    ["Tags", program.marketingTags && program.marketingTags.length > 0 && program.marketingTags.join(", ")],
  ])}
${description !== null && html`<p class="prose" dir="auto">${description}</p>`}
${pricesSection(program)}
${hotelsSection(program)}
${peopleSection(program)}
${mediaSection(program)}
${program.content !== null && contentSection(program.content)}
${
  empty.length > 0 &&
  html`<p class="lead">Nothing is published of: ${empty.join(", ")}. <a href="${explain}">Why?</a></p>`
}`;
}
