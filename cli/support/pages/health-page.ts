import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { type Html, html } from "../../output/html.ts";
import type { HealthReport } from "../health/read-health.ts";
import { type HealthFinding, spoken, type TenantHealth } from "../health/tenant-health.ts";
import { unconfirmedWords } from "../request/real-cause.ts";
import { explainPath, home, requestPath, tenantPath } from "./addresses.ts";
import type { CsvTable } from "./csv.ts";
import type { Page } from "./page.ts";
import { badge, command, dataTable, notice, outcomeBadge, time } from "./parts.ts";

/** Who is well is counted; more than these nobody reads. */
const maxShownTenants = 200;
const maxShownPrograms = 10;

/** How all tenants stand, worst first. `unconfirmed`: a late answer of an older snapshot, of a gateway that lost its store. */
export function healthPage(report: HealthReport, unconfirmed: RequestLogLine | undefined, now: Date): Page {
  const { tenants, faults, usualIntervalMs } = report;
  const troubled = tenants.filter(({ findings }) => findings.length > 0);
  const shown = troubled.slice(0, maxShownTenants);
  const interval =
    usualIntervalMs === null
      ? "How often builds come is not known yet: too few were stored."
      : `A build usually comes every ${spoken(usualIntervalMs)}.`;
  const main = html`<h1>Health</h1>
<p class="lead">${counts(tenants)} ${interval}</p>
${
  unconfirmed !== undefined &&
  notice(
    "bad",
    html`<p>Partners get answers ${unconfirmedWords(unconfirmed)} (<a href="${requestPath(unconfirmed.requestId)}">one of them</a>).</p>`,
  )
}
${faults.map((fault) => notice("doubtful", html`<p>Not all could be read: ${fault}</p>`))}
${
  shown.length === 0
    ? faults.length === 0 &&
      unconfirmed === undefined &&
      notice("good", html`<p>Nothing is found that anybody would have to look at.</p>`)
    : dataTable(
        "Tenants that somebody should look at, worst first",
        [{ title: "Tenant", isHeading: true }, { title: "What is found" }, { title: "Last build" }],
        shown.map((tenant) => row(report, tenant, now)),
      )
}
${troubled.length > shown.length && html`<p>… and ${troubled.length - shown.length} more tenants, in the file for a spreadsheet.</p>`}`;
  const trail = [{ text: "Tenants", path: home }];
  return { status: 200, title: "Health", trail, main, tables: [healthTable(tenants)] };
}

function counts(tenants: readonly TenantHealth[]): string {
  const of = (severity: HealthFinding["severity"]): number =>
    tenants.filter(({ findings }) => findings[0]?.severity === severity).length;
  const well = tenants.filter(({ findings }) => findings.length === 0).length;
  const noun = tenants.length === 1 ? "tenant" : "tenants";
  return `${tenants.length} ${noun}: ${of("bad")} in trouble, ${of("doubtful")} to look at, ${well} well.`;
}

function row({ statuses }: HealthReport, tenant: TenantHealth, now: Date): readonly Html[] {
  const { tenantId, findings, nextDueAt } = tenant;
  const lastTry = statuses.get(tenantId)?.lastTry ?? null;
  return [
    html`<a class="row-link" href="${tenantPath(tenantId)}">${tenantId}</a>`,
    html`<ul class="found">${findings.map((finding) => item(tenantId, finding, now))}</ul>`,
    html`${lastTry === null ? "no report" : html`${outcomeBadge(lastTry)} ${time(lastTry.triedAt, now)}`}${
      nextDueAt !== null &&
      html`<span class="line">${new Date(nextDueAt) > now ? "The next is due" : "The next was due"} ${time(nextDueAt, now)}</span>`
    }`,
  ];
}

function item(tenantId: string, finding: HealthFinding, now: Date): Html {
  const { kind, severity, text, at, programs, command: line } = finding;
  const shown = programs.slice(0, maxShownPrograms);
  const more = programs.length - shown.length;
  return html`<li>${badge(titles[kind].title, severity)} ${text}
${at !== null && html`<span class="line">${titles[kind].when}: ${time(at, now)}</span>`}
${
  shown.length > 0 &&
  html`<span class="line">${shown.map(
    (programId, index) => html`${index > 0 && ", "}${programLink(tenantId, programId)}`,
  )}${more > 0 && ` and ${more} more`}</span>`
}
${line !== null && html`<span class="line">For operations: ${command(line)}</span>`}</li>`;
}

/** D131: a program without an id has no page of its own. */
function programLink(tenantId: string, programId: string | null): Html | string {
  if (programId === null) return "a program without an id (NULL)";
  return html`<a href="${explainPath(tenantId, programId)}"><bdi>${programId}</bdi></a>`;
}

/** What a finding is called, and what its time is. */
const titles: Readonly<Record<HealthFinding["kind"], { readonly title: string; readonly when: string }>> = {
  removed: { title: "removed", when: "Since" },
  unfinished_removal: { title: "removal not ended", when: "Since" },
  damaged: { title: "damaged", when: "Since" },
  never_published: { title: "never published", when: "Since" },
  empty: { title: "empty list", when: "Since" },
  failing: { title: "builds fail", when: "Last tried" },
  silent: { title: "no builds", when: "The last one ended" },
  guard: { title: "refused", when: "Last tried" },
  faults: { title: "faulty programs", when: "Last tried" },
  interrupted: { title: "stopped", when: "Last tried" },
  unseen: { title: "no builds on record", when: "Since" },
  token_expired: { title: "key expired", when: "It ended" },
  token_expires: { title: "key expires", when: "It ends" },
  held: { title: "held", when: "Since" },
  shrinking: { title: "shrinking", when: "It had most" },
  left_out: { title: "left out", when: "Found" },
  not_in_source: { title: "not in the source", when: "Found" },
};

function healthTable(tenants: readonly TenantHealth[]): CsvTable {
  const rows = tenants.flatMap(({ tenantId, findings }) =>
    findings.map(({ severity, kind, text, at, programs }) => [
      tenantId,
      severity,
      kind,
      text,
      at,
      programs.join(" "),
    ]),
  );
  return { name: "health", columns: ["tenant", "severity", "kind", "text", "time", "programs"], rows };
}
