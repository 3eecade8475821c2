import { type Html, html } from "../../output/html.ts";
import { counted, numberText, type Reader } from "../../output/words.ts";
import { readTenantFacts } from "../facts/tenants.ts";
import {
  type Concern,
  concernKinds,
  concernSentence,
  type SharedConcern,
  sharedConcerns,
  tallyWords,
  worstSubjectFirst,
} from "../judgement/concern.ts";
import { goneSince } from "../judgement/standings.ts";
import { printedStep } from "../judgement/steps.ts";
import { type JudgedTenant, type JudgedTenants, judgedTenants } from "../judgement/tenant.ts";
import { outcomeTone } from "../texts/description.ts";
import { programPath, requestPath, tenantPath } from "./addresses.ts";
import type { Inspection, Page } from "./page.ts";
import { badge, command, logNotices, longTable, notice, section, stepList, time } from "./parts.ts";

/** P53: the start page. Concerns come first, equal causes once; then all tenants, the worst first. */
export async function healthPage(inspection: Inspection): Promise<Page> {
  const { store, log, signal } = inspection;
  const reader = inspection.reader();
  const lastHour = await log?.lastHour(reader.now);
  const report = judgedTenants(await readTenantFacts({ store, log: lastHour, signal }), reader);
  const { faults, gateways } = report;
  const tenants = worstSubjectFirst(report.tenants);
  const isWell = tenants.length > 0 && faults.length === 0;
  const main = html`<h1>Health</h1>
<p class="lead" role="status">${tenants.length === 0 ? "Nothing was published yet." : summary(tenants)}</p>
${faults.map((fault) => notice("doubtful", html`<p>Some data could not be read: ${fault}</p>`))}
${gateways === null ? html`<p class="lead">What partners got is not known here: no log of a gateway was given.</p>` : logNotices(gateways.state)}
${attention({ ...report, tenants }, reader) || (isWell && notice("good", html`<p>Nothing needs attention.</p>`))}
${tenants.length === 0 ? html`<p>Build the first snapshots: ${command("snapshot build")}</p>` : allTenants(tenants, reader)}`;
  return { status: 200, title: "Health", trail: [], main };
}

function summary(tenants: readonly JudgedTenant[]): string {
  const served = tenants.filter((tenant) => goneSince(tenant) === null);
  const programs = served.reduce((sum, { live }) => sum + (live?.programs ?? 0), 0);
  return `${tallyWords(tenants)} ${counted(programs, "program")} in all.`;
}

/** The concerns of all tenants together, then those of tenants. */
function attention({ concerns, tenants }: JudgedTenants, reader: Reader): Html | false {
  const groups = sharedConcerns(tenants);
  if (concerns.length + groups.length === 0) return false;
  // A person reads no more. Each tenant's page has all of its own.
  const shown = groups.slice(0, 40);
  const more = groups.length - shown.length;
  return section(
    "attention",
    "To look at",
    html`${concerns.map((concern) => notice(concern.severity, concernItem(concern, reader)))}
<ul class="plain">${shown.map((group) => html`<li class="notice ${group.concern.severity}">${sharedItem(group, reader)}</li>`)}</ul>
${more > 0 && html`<p>… and ${numberText(more)} more; the tenants below have them all.</p>`}`,
  );
}

function allTenants(tenants: readonly JudgedTenant[], reader: Reader): Html {
  const table = longTable("Tenants with the age of their data, the worst first", tenants, {
    Tenant: ({ tenantId }) => html`<a class="row-link" href="${tenantPath(tenantId)}">${tenantId}</a>`,
    State: stateBadges,
    Programs: ({ live }) => (live === null ? "–" : numberText(live.programs)),
    "Last build": ({ lastTry: last }) =>
      last === null
        ? "none on record"
        : html`${badge(last.outcome, outcomeTone(last.outcome))} ${time(last.triedAt, reader)}`,
  });
  return section("tenants", "Tenants", table);
}

function stateBadges({ concerns }: JudgedTenant): Html {
  if (concerns.length === 0) return badge("well", "good");
  const titles = new Map(concerns.map(({ kind, severity }) => [concernKinds[kind].title, severity]));
  return html`${[...titles].map(([title, severity]) => html`${badge(title, severity)} `)}`;
}

/** The tenants with a concern, and the concern once. The commands of several tenants name none of them. */
function sharedItem({ concern, tenantIds }: SharedConcern, reader: Reader): Html {
  const isShared = tenantIds.length > 1;
  const links = tenantIds.slice(0, 5).map((id) => html`<a href="${tenantPath(id)}">${id}</a>`);
  return html`<p>${isShared && html`<strong>${counted(tenantIds.length, "tenant")}</strong>: `}${listed(links, tenantIds.length, "tenant")}</p>
${concernItem(concern, reader, { anyTenant: isShared ? "TENANT" : undefined })}`;
}

/** A concern with its time, its programs and what to do about it. */
export function concernItem(
  concern: Concern,
  reader: Reader,
  { isOpen = false, anyTenant }: { isOpen?: boolean; anyTenant?: string | undefined } = {},
): Html {
  const { kind, severity, tenantId, at, programs, requestId } = concern;
  const steps = concern.steps.map((step) => printedStep(step, anyTenant));
  const links = programs.slice(0, 10).map((programId) =>
    // D130: a program without an id has no page of its own.
    programId === null || tenantId === null
      ? html`a program without an id (NULL)`
      : html`<a href="${programPath(tenantId, programId)}"><bdi>${programId}</bdi></a>`,
  );
  return html`${badge(concernKinds[kind].title, severity)} ${concernSentence(concern)}
${at !== null && html`<span class="line">${time(at, reader)}</span>`}
${links.length > 0 && html`<span class="line">${listed(links, programs.length, "program")}</span>`}
${requestId !== null && html`<span class="line"><a href="${requestPath(requestId)}">One of these requests</a></span>`}
${steps.length > 0 && (isOpen ? stepList(steps) : html`<details><summary>What to do</summary>${stepList(steps)}</details>`)}`;
}

function listed(links: readonly Html[], count: number, noun: string): Html {
  const more = count - links.length;
  return html`${links.map((link, at) => html`${at > 0 && ", "}${link}`)}${more > 0 && ` and ${counted(more, `more ${noun}`)}`}`;
}
