import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { readTenants } from "../facts/tenants.ts";
import { type Concern, tallyWords, worstSubjectFirst } from "../judgement/concern.ts";
import { type JudgedTenant, type JudgedTenants, judgedTenants } from "../judgement/tenant.ts";
import { tenantPath } from "./addresses.ts";
import { type CsvTable, csvTable } from "./csv.ts";
import { homeTrail } from "./page.ts";
import { concernItem, dataTable, heading, logNotices, notice, outcomeBadge, time } from "./parts.ts";
import { type Inspection, route } from "./route.ts";

export async function readJudgedTenants({ store, log, reader, signal }: Inspection): Promise<JudgedTenants> {
  await log?.refresh();
  const asked = reader();
  return judgedTenants(await readTenants({ store, log, now: asked.now, signal }), asked);
}

/** At most this many tenants with concerns are shown. Tenants without concerns are only counted. */
const maxShownTenants = 200;

/** P77: the state of all tenants. Those with concerns are listed, the worst first. */
export const healthRoute = route("/health", async (_, inspection) => {
  const report = await readJudgedTenants(inspection);
  const reader = inspection.reader();
  const { faults, concerns, gateways } = report;
  const tenants = worstSubjectFirst(report.tenants);
  const troubled = tenants.filter((tenant) => tenant.concerns.length > 0);
  const shown = troubled.slice(0, maxShownTenants);
  const main = html`<h1>Health</h1>
<p class="lead">${tallyWords(tenants)}</p>
${faults.map((fault) => notice("doubtful", html`<p>Some data could not be read: ${fault}</p>`))}
${gateways === null ? notice("neutral", html`<p>What partners got is not known here: no log of a gateway was given.</p>`) : logNotices(gateways.state, reader)}
${concerns.length > 0 && html`<section aria-labelledby="gateways"><h2 id="gateways">All tenants</h2>${concernList(concerns, reader)}</section>`}
${
  shown.length === 0
    ? concerns.length === 0 && faults.length === 0 && notice("good", html`<p>Nothing needs attention.</p>`)
    : dataTable("Tenants that somebody should look at, worst first", shown, {
        Tenant: heading(
          ({ tenantId }) => html`<a class="row-link" href="${tenantPath(tenantId)}">${tenantId}</a>`,
        ),
        "What is found": (tenant) => concernList(tenant.concerns, reader),
        "Last build": (tenant) => lastBuild(tenant, reader),
      })
}
${troubled.length > shown.length && html`<p>… and ${troubled.length - shown.length} more tenants, in the file for a spreadsheet.</p>`}`;
  const tables = [healthTable(report, tenants)];
  return { status: 200, title: "Health", trail: homeTrail, main, tables };
});

function concernList(concerns: readonly Concern[], reader: Reader): Html {
  return html`<ul class="found">${concerns.map((concern) => html`<li>${concernItem(concern, reader)}</li>`)}</ul>`;
}

function lastBuild({ lastTry }: JudgedTenant, reader: Reader): Html {
  return lastTry === null ? html`no report` : html`${outcomeBadge(lastTry)} ${time(lastTry.triedAt, reader)}`;
}

function healthTable({ concerns }: JudgedTenants, tenants: readonly JudgedTenant[]): CsvTable {
  return csvTable("health", [...concerns, ...tenants.flatMap((tenant) => tenant.concerns)], {
    tenant: ({ tenantId }) => tenantId,
    severity: ({ severity }) => severity,
    kind: ({ kind }) => kind,
    text: ({ text }) => text,
    time: ({ at }) => at,
    programs: ({ programs }) => programs.join(" "),
  });
}
