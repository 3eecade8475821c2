import { isProgramId } from "../../../core/ids.ts";
import { type Html, type HtmlValue, html } from "../../output/html.ts";
import { plain } from "../../output/style.ts";
import type { Explanation } from "../explain/explain-program.ts";
import type { ProgramInStore } from "../explain/program-in-store.ts";
import { garbledText, historyLines, problemText, sourceLines, unsaidProblems } from "../explanation-text.ts";
import { verdictTone } from "../standing/verdict-tone.ts";
import { home, programPath, tenantPath } from "./addresses.ts";
import { changesTable, changeTable } from "./change-rows.ts";
import type { Page } from "./page.ts";
import { command, confirmedTime, factList, notice, outcomeBadge, time } from "./parts.ts";
import { programLinks } from "./program-links.ts";
import { whyForm } from "./tenant-page.ts";

/** The form alone, before a program was asked about. */
export function explainForm(tenantId: string): Page {
  const main = html`<h1>Explain a program</h1>${whyForm(tenantId)}`;
  return { status: 200, title: "Explain", trail: trail(tenantId), main };
}

/** Why a program is or isn't served. */
export function explainPage(explanation: Explanation, now: Date): Page {
  const { tenantId, programId, verdict, summary, source, store, changes, lastRun, next, garbled } =
    explanation;
  const found = unsaidProblems(explanation);
  const isServed = store.kind === "live" && store.served !== null;
  const main = html`<h1>Why <bdi>${programId}</bdi> is ${isServed ? "served as it is" : "not served"}</h1>
${notice(verdictTone(verdict), html`<p>${summary}</p>`)}
<section aria-labelledby="next"><h2 id="next">What to do next</h2>
<p>${next.text}</p>
${next.commands.length > 0 && html`<ul class="commands">${next.commands.map((text) => html`<li>${command(text)}</li>`)}</ul>`}</section>
<section aria-labelledby="way"><h2 id="way">From the booking system to the partner</h2>
${factList(
  [
    ["Booking system", lines(sourceLines(source, plain))],
    ...storeFacts(store, now),
    [
      "Last build",
      lastRun === null
        ? "no report is stored"
        : html`${outcomeBadge(lastRun)} ${time(lastRun.finishedAt, now)}${lastRun.failure !== null && html`<br>${lastRun.failure.message}`}`,
    ],
    ["It said", found.length > 0 && lines(found.map(problemText))],
    ["Texts", garbled.length > 0 && lines(garbled.map(garbledText))],
  ],
  "steps",
)}</section>
${
  changes !== null &&
  changes.length > 0 &&
  html`<section aria-labelledby="pending"><h2 id="pending">What the booking system has, and partners do not see</h2>${changeTable("Differences", changes)}</section>`
}
${isServed && html`<p><a href="${programPath(tenantId, programId)}">See it as partners do</a></p>`}
${isProgramId(programId) && programLinks(tenantId, programId, "explain")}
${whyForm(tenantId, programId)}`;
  const tables = changes === null || changes.length === 0 ? [] : [changesTable(changes)];
  return { status: 200, title: `Explain ${programId}`, trail: trail(tenantId), main, tables };
}

function trail(tenantId: string): Page["trail"] {
  return [
    { text: "Tenants", path: home },
    { text: tenantId, path: tenantPath(tenantId) },
  ];
}

function storeFacts(store: ProgramInStore, now: Date): readonly (readonly [string, HtmlValue])[] {
  switch (store.kind) {
    case "unpublished":
      return [
        [
          "Live snapshot",
          store.isStore
            ? "none: nothing is published for this tenant"
            : `none: there is no store in ${store.store}`,
        ],
      ];
    case "damaged":
      return [["Live snapshot", store.reason]];
    case "live":
      return [
        [
          "Live snapshot",
          html`<code>${store.snapshotId}</code>, ${store.served === null ? "without" : "with"} this program`,
        ],
        ["Data of", time(store.generatedAt, now)],
        ["Published", time(store.publishedAt, now)],
        ["Confirmed", confirmedTime(store.confirmedAt, now)],
        ["Served", lines(historyLines(store.history, { now }))],
        [
          "Hold",
          store.hold === null ? "none" : html`since ${time(store.hold.since, now)}: ${store.hold.reason}`,
        ],
      ];
  }
}

function lines(texts: readonly string[]): Html {
  const [first, ...rest] = texts;
  return html`${first}${rest.map((text) => html`<br>${text}`)}`;
}
