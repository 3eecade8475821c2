import { Failure } from "../../../core/failure.ts";
import { parseTenantId, type TenantId } from "../../../core/ids.ts";
import { isProgramListResponse } from "../../../schemas/generated/validators-published.ts";
import { type PublishedSnapshot, readTenantSnapshots } from "../../operate/snapshots/tenant-snapshots.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { publishedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { readTenants } from "../facts/tenants.ts";
import { isUnknown, type JudgedTenant, judgedTenant } from "../judgement/tenant.ts";
import { tenantFacts } from "../texts/tenant-facts.ts";
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
import { newest } from "./diff-page.ts";
import { findingsSection, findingsTables } from "./findings-section.ts";
import type { Page } from "./page.ts";
import { badge, concernItem, dataTable, describedFacts, notice, time } from "./parts.ts";
import { type FoundPrograms, programsSection, programsTable, searchPrograms } from "./programs-section.ts";
import type { Inspection } from "./route.ts";
import { route } from "./route.ts";
import { storedJson } from "./stored-json.ts";

/** What a tenant's page shows. */
export interface TenantView {
  readonly tenant: JudgedTenant;
  readonly query: string;
  /** `null` when there is no live list to search in. */
  readonly found: FoundPrograms | null;
  /** The newest. */
  readonly snapshots: readonly PublishedSnapshot[];
  readonly totalSnapshots: number;
}

/** One tenant: how it stands, its programs, its snapshots, and what the last run found in its data. */
function tenantPage(view: TenantView, reader: Reader): Page {
  const { tenant, query, found, snapshots, totalSnapshots } = view;
  const { tenantId, lastRun, concerns } = tenant;
  const listed = found && {
    query,
    found,
    path: tenantPath(tenantId),
    programPath: (programId: string) => programPath(tenantId, programId),
  };
  const main = html`<h1><bdi>${tenantId}</bdi></h1>
${concerns.map((concern) => notice(concern.severity, concernItem(concern, reader, true)))}
${describedFacts(tenantFacts(tenant), reader)}
${listed !== null && programsSection(listed)}
${whyForm(tenantId)}
<p><a href="${auditPath(tenantId)}">What operators changed, and why</a></p>
${snapshots.length > 0 && snapshotList(tenantId, snapshots, totalSnapshots, reader)}
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

function snapshotList(
  tenantId: string,
  snapshots: readonly PublishedSnapshot[],
  total: number,
  reader: Reader,
): Html {
  const rows = snapshots.map(({ snapshotId, isLive, contentAt, programs: count, parent, withdrawnAt }) => [
    html`<a class="row-link" href="${snapshotPath(tenantId, snapshotId)}"><code>${snapshotId}</code></a> ${isLive ? badge("live", "good") : withdrawnAt !== null && badge("withdrawn", "doubtful")}`,
    time(contentAt, reader),
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

interface Input {
  readonly tenantId: TenantId;
  readonly text: string;
  readonly pageNumber: number;
}

export const tenantRoute = route({
  pattern: "/tenants/:tenant",
  parse: ({ tenant }, query): Input => ({
    tenantId: parseTenantId(tenant),
    text: query.get("q")?.trim() ?? "",
    pageNumber: Number(query.get("page") ?? 1) || 1,
  }),
  page,
});

async function page({ tenantId, text, pageNumber }: Input, inspection: Inspection): Promise<Page> {
  const { store, log, reader, signal } = inspection;
  const asked = reader();
  await log?.refresh();
  const { tenants } = await readTenants({ store, only: tenantId, log, now: asked.now, signal });
  const [facts] = tenants;
  if (facts === undefined || isUnknown(facts)) {
    throw new Failure("not_found", `The store has nothing of tenant ${tenantId}.`);
  }
  const tenant = judgedTenant(facts, asked);
  const nothing = { tenant, query: text, found: null, snapshots: [], totalSnapshots: 0 };
  if (tenant.live === null) return tenantPage(nothing, asked);
  const live = await publishedSnapshot(store, tenantId, signal);
  if (live === undefined) throw new Failure("not_found", `Tenant ${tenantId} is not published any more.`);
  const list = await storedJson(store, live.manifest.list, signal);
  const programs = isProgramListResponse(list) ? list.data : [];
  const { published } = await readTenantSnapshots(store, live.pointer, signal);
  const found = searchPrograms(programs, text, pageNumber);
  const shown = { snapshots: newest(published), totalSnapshots: published.length };
  return tenantPage({ tenant, query: text, found, ...shown }, asked);
}
