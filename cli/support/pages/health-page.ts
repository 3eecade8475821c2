import { counted, numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { readTenants } from "../facts/tenants.ts";
import {
  type Concern,
  concernKinds,
  sharedConcerns,
  tallyWords,
  worstSubjectFirst,
} from "../judgement/concern.ts";
import { goneSince, type JudgedTenant, judgedTenants } from "../judgement/tenant.ts";
import { outcomeTone } from "../texts/described-tenant.ts";
import { home, tenantPath } from "./addresses.ts";
import { concernItem, concernList } from "./concern-items.ts";
import {
  badge,
  command,
  dataTable,
  heading,
  logNotices,
  notice,
  numeric,
  pager,
  section,
  time,
} from "./parts.ts";
import { type Inspection, pageOf, route } from "./route.ts";

/** P77: the start page. What somebody should look at comes first, equal causes once; then all tenants, the worst first. */
export const healthRoutes = [route("/", healthPage), route("/health", healthPage)];

async function healthPage(_: readonly string[], query: URLSearchParams, inspection: Inspection) {
  const { store, log, signal } = inspection;
  const reader = inspection.reader();
  const { now } = reader;
  const lastHour = await log?.lastHour(now);
  const report = judgedTenants(await readTenants({ store, log: lastHour, signal }), reader);
  const { faults, concerns, gateways } = report;
  const tenants = worstSubjectFirst(report.tenants);
  const main = html`<h1>Health</h1>
<p class="lead" role="status">${tenants.length === 0 ? "Nothing was published yet." : summary(tenants)}</p>
${faults.map((fault) => notice("doubtful", html`<p>Some data could not be read: ${fault}</p>`))}
${gateways === null ? html`<p class="lead">What partners got is not known here: no log of a gateway was given.</p>` : logNotices(gateways.state)}
${attention(concerns, tenants, reader) || (tenants.length > 0 && faults.length === 0 && notice("good", html`<p>Nothing needs attention.</p>`))}
${tenants.length === 0 ? html`<p>Build the first snapshots: ${command("snapshot build")}</p>` : allTenants(tenants, query, reader)}`;
  return { status: 200, title: "Health", trail: [], main };
}

function summary(tenants: readonly JudgedTenant[]): string {
  const programs = tenants.reduce(
    (sum, tenant) => sum + (goneSince(tenant) !== null ? 0 : (tenant.live?.programs ?? 0)),
    0,
  );
  return `${tallyWords(tenants)} ${counted(programs, "program")} in all.`;
}

/** The concerns of all tenants together, then those of tenants. */
function attention(
  concerns: readonly Concern[],
  tenants: readonly JudgedTenant[],
  reader: Reader,
): Html | false {
  const groups = sharedConcerns(tenants);
  if (concerns.length + groups.length === 0) return false;
  const shown = groups.slice(0, maxGroups);
  const more = groups.length - shown.length;
  return section(
    "attention",
    "To look at",
    html`${concerns.map((concern) => notice(concern.severity, concernItem(concern, reader)))}
<ul class="plain">${shown.map((group) => html`<li class="notice ${group.concern.severity}">${concernList(group, reader)}</li>`)}</ul>
${more > 0 && html`<p>… and ${numberText(more)} more; the tenants below have them all.</p>`}`,
  );
}

/** A person reads no more. Each tenant's page has all of its own. */
const maxGroups = 40;

function allTenants(tenants: readonly JudgedTenant[], query: URLSearchParams, reader: Reader): Html {
  const listed = pageOf(tenants, query);
  return section(
    "tenants",
    "Tenants",
    html`${listed.pages > 1 && html`<p class="lead">${counted(tenants.length, "tenant")}${listed.place}.</p>`}
${dataTable("Tenants with the age of their data, the worst first", listed.rows, {
  Tenant: heading(({ tenantId }) => html`<a class="row-link" href="${tenantPath(tenantId)}">${tenantId}</a>`),
  State: stateBadges,
  Programs: numeric(({ live }) => (live === null ? "–" : numberText(live.programs))),
  "Last build": (tenant) => lastBuild(tenant, reader),
})}
${pager(listed, (page) => `${home}?page=${page}#tenants`)}`,
  );
}

/** How the last build ended, and, if that was another one, when a build last found the data to be what the source says. */
function lastBuild({ lastTry, live }: JudgedTenant, reader: Reader): Html {
  const checkedAt = live?.confirmedAt ?? null;
  return html`${lastTry === null ? "no report" : html`${badge(lastTry.outcome, outcomeTone(lastTry.outcome))} ${time(lastTry.triedAt, reader)}`}${
    checkedAt !== null &&
    checkedAt !== lastTry?.triedAt &&
    html`<span class="line">Data checked ${time(checkedAt, reader)}</span>`
  }`;
}

function stateBadges({ concerns }: JudgedTenant): Html {
  if (concerns.length === 0) return badge("well", "good");
  const titles = new Map(concerns.map(({ kind, severity }) => [concernKinds[kind].title, severity]));
  return html`${[...titles].map(([title, severity]) => html`${badge(title, severity)} `)}`;
}
