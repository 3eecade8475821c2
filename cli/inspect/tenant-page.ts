import type { ProgramListItem } from "../../schemas/generated/types.ts";
import type { PublishedSnapshot } from "../snapshot/tenant-snapshots.ts";
import { leftOut } from "../support/run-history.ts";
import type { TenantStatus } from "../support/tenant-status.ts";
import { diffPath, explainPath, home, programPath, tenantPath } from "./addresses.ts";
import { findingsSection } from "./findings-section.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./page.ts";
import { badge, command, confirmedTime, dataTable, factList, notice, outcomeBadge, time } from "./parts.ts";
import type { FoundPrograms } from "./program-search.ts";
import { money } from "./program-words.ts";

/** What a tenant's page shows. */
export interface TenantView {
  readonly status: TenantStatus;
  readonly query: string;
  /** `null` when there is no live list to search in. */
  readonly found: FoundPrograms | null;
  readonly snapshots: readonly PublishedSnapshot[];
}

/** One tenant: how it stands, its programs, its snapshots, and what the last run found in its data. */
export function tenantPage(view: TenantView, now: Date): Page {
  const { status, found, snapshots } = view;
  const { tenantId, lastRun } = status;
  const main = html`<h1><bdi>${tenantId}</bdi></h1>
${attention(status, now)}
${standing(status, now)}
${found !== null && programs(view, found)}
${whyForm(tenantId)}
${snapshots.length > 0 && snapshotList(tenantId, snapshots, now)}
${lastRun !== null && findingsSection(tenantId, lastRun)}`;
  return { status: 200, title: tenantId, trail: [{ text: "Tenants", path: home }], main };
}

/** Also on the explain page: the question that brings most people here. */
export function whyForm(tenantId: string, programId = ""): Html {
  return html`<section aria-labelledby="why"><h2 id="why">${programId === "" ? "Why isn’t a program served?" : "Ask about another program"}</h2>
<form class="search" action="${explainPath(tenantId)}" method="get">
<label for="program">Program id, as the partner or the booking system writes it</label>
<div class="field"><input id="program" name="program" required maxlength="500" autocomplete="off" spellcheck="false" value="">
<button>Explain</button></div>
</form></section>`;
}

function attention(status: TenantStatus, now: Date): readonly Html[] {
  const { tenantId, live, fault, lastRun, notInSource } = status;
  const notices: Html[] = [];
  if (notInSource !== null) {
    notices.push(
      notice(
        "doubtful",
        html`<p>The source did not list this tenant ${time(notInSource, now)}. It keeps its last snapshot.</p>`,
      ),
    );
  }
  if (fault !== null) {
    notices.push(
      notice(
        "bad",
        html`<p>Partners get 500: ${fault}</p><p>${command(`snapshot verify --tenant ${tenantId}`)}</p>`,
      ),
    );
  } else if (live === null) {
    notices.push(notice("bad", html`<p>Partners get 500: nothing was ever published for this tenant.</p>`));
  }
  if (live?.hold) {
    notices.push(
      notice(
        "doubtful",
        html`<p>Held since ${time(live.hold.since, now)}: ${live.hold.reason}</p><p>Until the hold ends builds take out what the source withdraws, and nothing else: ${command(`snapshot release --tenant ${tenantId}`)}</p>`,
      ),
    );
  }
  if (live !== null && live.programs === 0) {
    notices.push(notice("bad", html`<p>The live snapshot has no program: partners get an empty list.</p>`));
  }
  const left = leftOut(lastRun);
  if (left > 0) {
    const programs = left === 1 ? "1 program" : `${left} programs`;
    notices.push(notice("doubtful", html`<p>The last run left out ${programs} with an error.</p>`));
  }
  if (lastRun?.failure && lastRun.outcome !== "held") {
    notices.push(notice("bad", html`<p>The last run ${lastRun.outcome}: ${lastRun.failure.message}</p>`));
  }
  return notices;
}

function standing({ live, lastTry }: TenantStatus, now: Date): Html {
  return factList([
    ["Data of", live && time(live.generatedAt, now)],
    ["Published", live && time(live.publishedAt, now)],
    ["Confirmed", live && confirmedTime(live.confirmedAt, now)],
    ["Programs", live?.programs.toLocaleString("en")],
    ["Live snapshot", live && html`<code>${live.snapshotId}</code>, generation ${live.generation}`],
    ["Hold", live && live.hold === null && "none"],
    [
      "Last try",
      lastTry ? html`${outcomeBadge(lastTry)} ${time(lastTry.triedAt, now)}` : "no report is stored",
    ],
  ]);
}

function programs({ status, query }: TenantView, found: FoundPrograms): Html {
  const { tenantId } = status;
  const { total, page, pages } = found;
  const what = query === "" ? "" : ` matching “${query}”`;
  const count = `${total.toLocaleString("en")} ${total === 1 ? "program" : "programs"}${what}`;
  const place = pages > 1 ? `, page ${page} of ${pages}` : "";
  return html`<section aria-labelledby="programs"><h2 id="programs">Programs</h2>
<form class="search" action="${tenantPath(tenantId)}" method="get" role="search">
<label for="q">Search by name or id</label>
<div class="field"><input id="q" name="q" type="search" autocomplete="off" value="${query}"><button>Search</button></div>
</form>
<p class="lead" role="status">${count}${place}</p>
${
  total > 0 &&
  dataTable(
    "Programs in the order of the list that partners get",
    [
      { title: "Program", isHeading: true },
      { title: "Departure" },
      { title: "Days", isNumber: true },
      { title: "Free", isNumber: true },
      { title: "From", isNumber: true },
    ],
    found.programs.map((program) => programCells(tenantId, program)),
  )
}
${pages > 1 && pager(tenantId, query, found)}</section>`;
}

function programCells(tenantId: string, program: ProgramListItem): readonly (Html | string)[] {
  const { id, name, departureDate, durationDays, capacity, prices, currency } = program;
  return [
    html`<a class="row-link" href="${programPath(tenantId, id)}"><bdi>${name}</bdi></a> <code class="id">${id}</code>`,
    departureDate ?? "–",
    durationDays === null ? "–" : String(durationDays),
    `${capacity.remaining} of ${capacity.total}`,
    prices.startingAmount === null ? "–" : money(prices.startingAmount, currency),
  ];
}

function pager(tenantId: string, query: string, { page, pages }: FoundPrograms): Html {
  const link = (to: number, text: string): Html => {
    const parameters = new URLSearchParams({ ...(query === "" ? {} : { q: query }), page: String(to) });
    return html`<li><a href="${tenantPath(tenantId)}?${parameters.toString()}#programs">${text}</a></li>`;
  };
  return html`<nav class="pager" aria-label="Pages"><ul>
${page > 1 && link(page - 1, "← Earlier")}
${page < pages && link(page + 1, "Later →")}
</ul></nav>`;
}

function snapshotList(tenantId: string, snapshots: readonly PublishedSnapshot[], now: Date): Html {
  const rows = snapshots.map(({ snapshotId, isLive, generatedAt, programs: count, parent, withdrawnAt }) => [
    html`<code>${snapshotId}</code> ${isLive ? badge("live", "good") : withdrawnAt !== null && badge("withdrawn", "doubtful")}`,
    time(generatedAt, now),
    count.toLocaleString("en"),
    parent === null
      ? "the first"
      : html`<a href="${diffPath(tenantId, undefined, snapshotId)}">Changes<span class="hidden"> that snapshot ${snapshotId} brought</span></a>`,
  ]);
  return html`<section aria-labelledby="snapshots"><h2 id="snapshots">Snapshots</h2>
${dataTable(
  "Snapshots that partners see or saw, newest first",
  [
    { title: "Snapshot", isHeading: true },
    { title: "Data of" },
    { title: "Programs", isNumber: true },
    { title: "Changes" },
  ],
  rows,
)}</section>`;
}
