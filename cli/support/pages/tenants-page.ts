import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { concernTitle, tallyWords } from "../judgement/concern.ts";
import { isGone, type JudgedTenant, type JudgedTenants } from "../judgement/tenant.ts";
import { healthPath, tenantPath } from "./addresses.ts";
import type { CsvTable } from "./csv.ts";
import { readJudgedTenants } from "./health-page.ts";
import type { Page } from "./page.ts";
import { badge, command, dataTable, heading, notice, numeric, outcomeBadge, time } from "./parts.ts";
import { route } from "./route.ts";

export const tenantsRoute = route("/", async (_, inspection) =>
  tenantsPage(await readJudgedTenants(inspection), inspection.reader()),
);

/** All tenants: how fresh, how many programs, how the last run went. */
function tenantsPage({ tenants, concerns, faults }: JudgedTenants, reader: Reader): Page {
  const main = html`<h1>Tenants</h1>
<p class="lead">${tenants.length === 0 ? "Nothing was published yet." : summary(tenants)}</p>
${faults.map((fault) => notice("doubtful", html`<p>Not all could be read: ${fault}</p>`))}
${concerns.map(({ text }) => notice("bad", html`<p>${text}. <a href="${healthPath}">Health</a></p>`))}
${
  tenants.length === 0
    ? html`<p>Build the first snapshots: ${command("snapshot build")}</p>`
    : dataTable(
        "Tenants with the age of their data",
        [heading("Tenant"), "Published", "Confirmed", numeric("Programs"), "Health", "Last try"],
        tenants.map((tenant) => cells(tenant, reader)),
      )
}`;
  const tables = tenants.length === 0 ? [] : [tenantsTable(tenants)];
  return { status: 200, title: "Tenants", trail: [], main, tables };
}

function cells(
  { tenantId, live, lastTry, concerns }: JudgedTenant,
  reader: Reader,
): readonly (Html | string)[] {
  return [
    html`<a class="row-link" href="${tenantPath(tenantId)}">${tenantId}</a>`,
    live === null ? "–" : time(live.publishedAt, reader),
    live?.confirmedAt ? time(live.confirmedAt, reader) : "–",
    live === null ? "–" : live.programs.toLocaleString("en"),
    concerns.length === 0
      ? badge("well", "good")
      : html`${concerns.map(({ kind, severity }) => html`${badge(concernTitle(kind).title, severity)} `)}`,
    lastTry === null ? "no report" : html`${outcomeBadge(lastTry)} ${time(lastTry.triedAt, reader)}`,
  ];
}

function tenantsTable(tenants: readonly JudgedTenant[]): CsvTable {
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
  const rows = tenants.map(({ tenantId, live, hold, lastTry, fault, removal }) => [
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
    removal?.removedAt ?? null,
  ]);
  return { name: "tenants", columns, rows };
}

function summary(tenants: readonly JudgedTenant[]): string {
  const programs = tenants.reduce(
    (sum, tenant) => sum + (isGone(tenant) ? 0 : (tenant.live?.programs ?? 0)),
    0,
  );
  return `${tallyWords(tenants)} ${programs.toLocaleString("en")} ${programs === 1 ? "program" : "programs"} in all.`;
}
