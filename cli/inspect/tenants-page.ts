import { leftOut } from "../support/run-history.ts";
import type { StatusReport, TenantStatus } from "../support/tenant-status.ts";
import { tenantPath } from "./addresses.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./page.ts";
import { badge, command, dataTable, notice, outcomeBadge, time } from "./parts.ts";

/** All tenants: how fresh, how many programs, how the last run went. */
export function tenantsPage({ tenants, faults }: StatusReport, now: Date): Page {
  const main = html`<h1>Tenants</h1>
<p class="lead">${tenants.length === 0 ? "Nothing was published yet." : summary(tenants)}</p>
${faults.map((fault) => notice("doubtful", html`<p>Of the runs not all could be read: ${fault}</p>`))}
${
  tenants.length === 0
    ? html`<p>Build the first snapshots: ${command("snapshot build")}</p>`
    : dataTable(
        "Tenants with the age of their data",
        [
          { title: "Tenant", isHeading: true },
          { title: "Published" },
          { title: "Confirmed" },
          { title: "Programs", isNumber: true },
          { title: "Hold" },
          { title: "Last try" },
        ],
        tenants.map((tenant) => cells(tenant, now)),
      )
}`;
  return { status: 200, title: "Tenants", trail: [], main };
}

function cells(
  { tenantId, live, fault, lastTry, notInSource }: TenantStatus,
  now: Date,
): readonly (Html | string)[] {
  return [
    html`<a class="row-link" href="${tenantPath(tenantId)}">${tenantId}</a>`,
    live === null
      ? badge(fault === null ? "never published" : "damaged", "bad")
      : time(live.publishedAt, now),
    live?.confirmedAt ? time(live.confirmedAt, now) : "–",
    live === null
      ? "–"
      : live.programs === 0
        ? badge("empty list", "bad")
        : live.programs.toLocaleString("en"),
    live?.hold ? badge("held", "doubtful") : "none",
    notInSource !== null
      ? html`${badge("not in the source", "doubtful")} ${time(notInSource, now)}`
      : lastTry === null
        ? "no report"
        : html`${outcomeBadge(lastTry)} ${time(lastTry.triedAt, now)}`,
  ];
}

function summary(tenants: readonly TenantStatus[]): string {
  const programs = tenants.reduce((sum, { live }) => sum + (live?.programs ?? 0), 0);
  const troubled = tenants.filter(
    ({ live, lastRun }) =>
      // P22
      live === null ||
      live.programs === 0 ||
      lastRun?.outcome === "failed" ||
      lastRun?.outcome === "refused" ||
      leftOut(lastRun) > 0,
  );
  const health =
    troubled.length === 0
      ? "The last run of each went well."
      : `${troubled.length === 1 ? "One needs" : `${troubled.length} need`} attention: ${troubled.map(({ tenantId }) => tenantId).join(", ")}.`;
  const noun = tenants.length === 1 ? "tenant" : "tenants";
  return `${tenants.length} ${noun} with ${programs.toLocaleString("en")} programs. ${health}`;
}
