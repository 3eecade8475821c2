import { type Html, html } from "../../output/html.ts";
import type { StatusReport, TenantStatus } from "../tenant-status.ts";
import { healthPath, tenantPath } from "./addresses.ts";
import type { CsvTable } from "./csv.ts";
import type { Page } from "./page.ts";
import { badge, command, dataTable, notice, outcomeBadge, time } from "./parts.ts";

/** All tenants: how fresh, how many programs, how the last run went. */
export function tenantsPage({ tenants, faults }: StatusReport, now: Date): Page {
  const main = html`<h1>Tenants</h1>
<p class="lead">${tenants.length === 0 ? "Nothing was published yet." : summary(tenants)}</p>
<p><a href="${healthPath}">Health of all tenants, worst first</a></p>
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
  return {
    status: 200,
    title: "Tenants",
    trail: [],
    main,
    tables: tenants.length === 0 ? [] : [tenantsTable(tenants)],
  };
}

function cells(
  { tenantId, live, fault, hold, removedAt, lastTry, notInSource }: TenantStatus,
  now: Date,
): readonly (Html | string)[] {
  return [
    html`<a class="row-link" href="${tenantPath(tenantId)}">${tenantId}</a>`,
    removedAt !== null
      ? html`${badge("removed", "doubtful")} ${time(removedAt, now)}`
      : live === null
        ? badge(fault === null ? "never published" : "damaged", "bad")
        : time(live.publishedAt, now),
    live?.confirmedAt ? time(live.confirmedAt, now) : "–",
    live === null
      ? "–"
      : live.programs === 0
        ? badge("empty list", "bad")
        : live.programs.toLocaleString("en"),
    hold === null ? "none" : badge("held", "doubtful"),
    notInSource !== null
      ? html`${badge("not in the source", "doubtful")} ${time(notInSource, now)}`
      : lastTry === null
        ? "no report"
        : html`${outcomeBadge(lastTry)} ${time(lastTry.triedAt, now)}`,
  ];
}

function tenantsTable(tenants: readonly TenantStatus[]): CsvTable {
  const columns = [
    "tenant",
    "snapshot",
    "published",
    "confirmed",
    "programs",
    "held since",
    "hold",
    "last try",
    "tried",
    "fault",
    "removed",
  ];
  const rows = tenants.map(({ tenantId, live, hold, lastTry, fault, removedAt }) => [
    tenantId,
    live?.snapshotId ?? null,
    live?.publishedAt ?? null,
    live?.confirmedAt ?? null,
    live?.programs ?? null,
    hold?.since ?? null,
    hold?.reason ?? null,
    lastTry?.outcome ?? null,
    lastTry?.triedAt ?? null,
    fault,
    removedAt,
  ]);
  return { name: "tenants", columns, rows };
}

function summary(tenants: readonly TenantStatus[]): string {
  const programs = tenants.reduce(
    (sum, { live, removedAt }) => sum + (removedAt === null ? (live?.programs ?? 0) : 0),
    0,
  );
  // P53
  const troubled = tenants.filter(({ concerns }) => concerns.length > 0);
  const health =
    troubled.length === 0
      ? "Nothing is found that anybody would have to look at."
      : `${troubled.length === 1 ? "One needs" : `${troubled.length} need`} attention: ${troubled.map(({ tenantId }) => tenantId).join(", ")}.`;
  const noun = tenants.length === 1 ? "tenant" : "tenants";
  return `${tenants.length} ${noun} with ${programs.toLocaleString("en")} ${programs === 1 ? "program" : "programs"}. ${health}`;
}
