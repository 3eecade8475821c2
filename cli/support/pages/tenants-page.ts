import { counted, numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import { concernKinds, tallyWords } from "../judgement/concern.ts";
import { isGone, type JudgedTenant } from "../judgement/tenant.ts";
import { healthPath, tenantPath } from "./addresses.ts";
import { type CsvTable, csvTable } from "./csv.ts";
import { readJudgedTenants } from "./health-page.ts";
import { badge, command, dataTable, heading, notice, numeric, outcomeBadge, time } from "./parts.ts";
import { route } from "./route.ts";

/** All tenants: how fresh, how many programs, how the last run went. */
export const tenantsRoute = route("/", async (_, inspection) => {
  const { tenants, concerns, faults } = await readJudgedTenants(inspection);
  const reader = inspection.reader();
  const main = html`<h1>Tenants</h1>
<p class="lead">${tenants.length === 0 ? "Nothing was published yet." : summary(tenants)}</p>
${faults.map((fault) => notice("doubtful", html`<p>Some data could not be read: ${fault}</p>`))}
${concerns.map(({ text }) => notice("bad", html`<p>${text}. <a href="${healthPath}">Health</a></p>`))}
${
  tenants.length === 0
    ? html`<p>Build the first snapshots: ${command("snapshot build")}</p>`
    : dataTable("Tenants with the age of their data", tenants, {
        Tenant: heading(
          ({ tenantId }) => html`<a class="row-link" href="${tenantPath(tenantId)}">${tenantId}</a>`,
        ),
        Published: ({ live }) => (live === null ? "–" : time(live.publishedAt, reader)),
        Confirmed: ({ live }) => (live?.confirmedAt ? time(live.confirmedAt, reader) : "–"),
        Programs: numeric(({ live }) => (live === null ? "–" : numberText(live.programs))),
        Health: healthBadges,
        "Last try": ({ lastTry }) =>
          lastTry === null ? "no report" : html`${outcomeBadge(lastTry)} ${time(lastTry.triedAt, reader)}`,
      })
}`;
  const tables = tenants.length === 0 ? [] : [tenantsTable(tenants)];
  return { status: 200, title: "Tenants", trail: [], main, tables };
});

function healthBadges({ concerns }: JudgedTenant): Html {
  if (concerns.length === 0) return badge("well", "good");
  return html`${concerns.map(({ kind, severity }) => html`${badge(concernKinds[kind].title, severity)} `)}`;
}

function tenantsTable(tenants: readonly JudgedTenant[]): CsvTable {
  return csvTable("tenants", tenants, {
    tenant: ({ tenantId }) => tenantId,
    snapshot: ({ live }) => live?.snapshotId ?? null,
    published: ({ live }) => live?.publishedAt ?? null,
    confirmed: ({ live }) => live?.confirmedAt ?? null,
    programs: ({ live }) => live?.programs ?? null,
    "held since": ({ hold }) => hold?.since ?? null,
    hold: ({ hold }) => hold?.reason ?? null,
    "last try": ({ lastTry }) => lastTry?.outcome ?? null,
    tried: ({ lastTry }) => lastTry?.triedAt ?? null,
    fault: ({ fault }) => fault,
    removed: ({ removal }) => removal?.removedAt ?? null,
  });
}

function summary(tenants: readonly JudgedTenant[]): string {
  const programs = tenants.reduce(
    (sum, tenant) => sum + (isGone(tenant) ? 0 : (tenant.live?.programs ?? 0)),
    0,
  );
  return `${tallyWords(tenants)} ${counted(programs, "program")} in all.`;
}
