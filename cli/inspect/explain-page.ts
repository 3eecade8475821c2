import { historyLines, problemText, unsaidProblems } from "../presentation/explanation-text.ts";
import type { Explanation } from "../support/explain/explain-program.ts";
import type { ProgramInSource } from "../support/explain/program-in-source.ts";
import type { ProgramInStore } from "../support/explain/program-in-store.ts";
import { home, programPath, tenantPath } from "./addresses.ts";
import { changeTable } from "./change-rows.ts";
import { type Html, type HtmlValue, html } from "./html.ts";
import type { Page } from "./page.ts";
import { command, confirmedTime, factList, notice, outcomeBadge, type Tone, time } from "./parts.ts";
import { whyForm } from "./tenant-page.ts";

/** The form alone, before a program was asked about. */
export function explainForm(tenantId: string): Page {
  const main = html`<h1>Explain a program</h1>${whyForm(tenantId)}`;
  return { status: 200, title: "Explain", trail: trail(tenantId), main };
}

/** Why a program is or isn't served. */
export function explainPage(explanation: Explanation, now: Date): Page {
  const { tenantId, programId, verdict, summary, source, store, changes, lastRun, next } = explanation;
  const found = unsaidProblems(explanation);
  const isServed = store.kind === "live" && store.served !== null;
  const main = html`<h1>Why <bdi>${programId}</bdi> is ${isServed ? "served as it is" : "not served"}</h1>
${notice(tone(verdict), html`<p>${summary}</p>`)}
<section aria-labelledby="next"><h2 id="next">What to do next</h2>
<p>${next.text}</p>
${next.commands.length > 0 && html`<ul class="commands">${next.commands.map((text) => html`<li>${command(text)}</li>`)}</ul>`}</section>
<section aria-labelledby="way"><h2 id="way">From the booking database to the partner</h2>
${factList(
  [
    ["Booking database", lines(sourceLines(source))],
    ...storeFacts(store, now),
    [
      "Last run",
      lastRun === null
        ? "no report is stored"
        : html`${outcomeBadge(lastRun)} ${time(lastRun.finishedAt, now)}${lastRun.failure !== null && html`<br>${lastRun.failure.message}`}`,
    ],
    ["It found", found.length > 0 && lines(found.map(problemText))],
  ],
  "steps",
)}</section>
${
  changes !== null &&
  changes.length > 0 &&
  html`<section aria-labelledby="pending"><h2 id="pending">What the next build would change</h2>${changeTable("Pending changes", changes)}</section>`
}
${isServed && html`<p><a href="${programPath(tenantId, programId)}">See it as partners do</a></p>`}
${whyForm(tenantId, programId)}`;
  return { status: 200, title: `Explain ${programId}`, trail: trail(tenantId), main };
}

function trail(tenantId: string): Page["trail"] {
  return [
    { text: "Tenants", path: home },
    { text: tenantId, path: tenantPath(tenantId) },
  ];
}

function sourceLines(source: ProgramInSource): readonly string[] {
  switch (source.kind) {
    case "unavailable":
      return ["could not be asked", source.reason];
    case "tenant_unknown":
      return ["does not list the tenant"];
    case "absent":
      return [
        "no program of this id for this tenant",
        ...source.elsewhere.map(
          (found) => `but tenant ${found.tenantId} has ${JSON.stringify(found.programId)}`,
        ),
      ];
    case "not_publishable":
      return [`found, lifecycle state “${source.state}”: only active programs are published`];
    case "invalid":
      return ["found, and invalid", ...source.problems.map(problemText)];
    case "publishable":
      return ["found, active, valid", ...source.dropped.map((problem) => `dropped: ${problemText(problem)}`)];
  }
}

function storeFacts(store: ProgramInStore, now: Date): readonly (readonly [string, HtmlValue])[] {
  switch (store.kind) {
    case "unpublished":
      return [["Live snapshot", "none: nothing was ever published for this tenant"]];
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

function tone(verdict: Explanation["verdict"]): Tone {
  if (verdict === "served") return "good";
  return verdict.startsWith("served") || verdict === "waiting" ? "doubtful" : "bad";
}
