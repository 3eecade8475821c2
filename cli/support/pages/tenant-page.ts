import type { PublishedSnapshot } from "../../operate/snapshots/tenant-snapshots.ts";
import { type Html, html } from "../../output/html.ts";
import type { TenantStatus } from "../tenant-status.ts";
import {
  auditPath,
  diffPath,
  explainPath,
  home,
  programPath,
  snapshotPath,
  snapshotsPath,
  tenantPath,
} from "./addresses.ts";
import { findingsSection, findingsTables } from "./findings-section.ts";
import type { Page } from "./page.ts";
import { badge, command, confirmedTime, dataTable, factList, notice, outcomeBadge, time } from "./parts.ts";
import type { FoundPrograms } from "./program-search.ts";
import { programsSection, programsTable } from "./programs-section.ts";

/** What a tenant's page shows. */
export interface TenantView {
  readonly status: TenantStatus;
  readonly query: string;
  /** `null` when there is no live list to search in. */
  readonly found: FoundPrograms | null;
  /** The newest. */
  readonly snapshots: readonly PublishedSnapshot[];
  readonly totalSnapshots: number;
}

/** One tenant: how it stands, its programs, its snapshots, and what the last run found in its data. */
export function tenantPage(view: TenantView, now: Date): Page {
  const { status, query, found, snapshots, totalSnapshots } = view;
  const { tenantId, lastRun } = status;
  const listed = found && {
    query,
    found,
    path: tenantPath(tenantId),
    programPath: (programId: string) => programPath(tenantId, programId),
  };
  const main = html`<h1><bdi>${tenantId}</bdi></h1>
${attention(status)}
${standing(status, now)}
${listed !== null && programsSection(listed)}
${whyForm(tenantId)}
<p><a href="${auditPath(tenantId)}">What operators changed, and why</a></p>
${snapshots.length > 0 && snapshotList(tenantId, snapshots, totalSnapshots, now)}
${lastRun !== null && findingsSection(tenantId, lastRun)}`;
  const tables = [...(found === null ? [] : [programsTable(found)]), ...findingsTables(lastRun)];
  return { status: 200, title: tenantId, trail: [{ text: "Tenants", path: home }], main, tables };
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

/** P53: the same as `snapshot status` says. */
function attention({ tenantId, concerns }: TenantStatus): readonly Html[] {
  return concerns.map(({ kind, severity, text }) =>
    notice(
      severity,
      html`<p>${text.charAt(0).toUpperCase()}${text.slice(1)}.</p>${
        kind === "damaged" && html`<p>${command(`snapshot verify --tenant ${tenantId}`)}</p>`
      }${
        kind === "held" &&
        html`<p>Until the hold ends builds take out what the source withdraws, and nothing else. For operations: ${command(`snapshot release --tenant ${tenantId}`)}</p>`
      }`,
    ),
  );
}

function standing({ live, hold, removedAt, lastTry }: TenantStatus, now: Date): Html {
  return factList([
    ["Removed", removedAt && time(removedAt, now)],
    ["Data of", live && time(live.generatedAt, now)],
    ["Published", live && time(live.publishedAt, now)],
    ["Confirmed", live && confirmedTime(live.confirmedAt, now)],
    ["Programs", live?.programs.toLocaleString("en")],
    ["Live snapshot", live && html`<code>${live.snapshotId}</code>, generation ${live.generation}`],
    ["Hold", live && hold === null && "none"],
    [
      "Last try",
      lastTry ? html`${outcomeBadge(lastTry)} ${time(lastTry.triedAt, now)}` : "no report is stored",
    ],
  ]);
}

function snapshotList(
  tenantId: string,
  snapshots: readonly PublishedSnapshot[],
  total: number,
  now: Date,
): Html {
  const rows = snapshots.map(({ snapshotId, isLive, generatedAt, programs: count, parent, withdrawnAt }) => [
    html`<a class="row-link" href="${snapshotPath(tenantId, snapshotId)}"><code>${snapshotId}</code></a> ${isLive ? badge("live", "good") : withdrawnAt !== null && badge("withdrawn", "doubtful")}`,
    time(generatedAt, now),
    count.toLocaleString("en"),
    parent === null
      ? "the first"
      : html`<a class="whole" href="${diffPath(tenantId, undefined, snapshotId)}">Changes<span class="hidden"> that snapshot ${snapshotId} brought</span></a>`,
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
)}
<p><a href="${snapshotsPath(tenantId)}">${total === 1 ? "The snapshot" : `All ${total.toLocaleString("en")} snapshots`}, and what partners saw when</a></p></section>`;
}
