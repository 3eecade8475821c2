import { Failure } from "../../../core/failure.ts";
import { parseTenantId, type TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { type PublishedSnapshot, readTenantSnapshots } from "../../operate/snapshots/tenant-snapshots.ts";
import { numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { publishedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { storedPrograms } from "../facts/program-in-store.ts";
import { readTenants } from "../facts/tenants.ts";
import { isUnknown, judgedTenant } from "../judgement/tenant.ts";
import { tenantFacts } from "../texts/tenant-facts.ts";
import { auditPath, explainPath, programPath, snapshotsPath, tenantPath } from "./addresses.ts";
import { newest } from "./diff-page.ts";
import { homeTrail } from "./page.ts";
import { concernItem, describedFacts, notice } from "./parts.ts";
import { programsSection, programsTable, searchPrograms } from "./programs-section.ts";
import { route } from "./route.ts";
import { snapshotTable } from "./snapshots-page.ts";

/** One tenant: its state, its programs, its snapshots, and the findings of the last run in its data. */
export const tenantRoute = route("/tenants/:tenant", async (asked, inspection) => {
  const { store, log, signal } = inspection;
  const reader = inspection.reader();
  const tenantId = parseTenantId(asked.tenant);
  await log?.refresh();
  const { tenants } = await readTenants({ store, only: tenantId, log, now: reader.now, signal });
  const [facts] = tenants;
  if (facts === undefined || isUnknown(facts)) {
    throw new Failure("not_found", `The store has nothing of tenant ${tenantId}.`);
  }
  const tenant = judgedTenant(facts, reader);
  const published = tenant.live === null ? null : await readPublished(store, tenantId, signal);
  const found = published && searchPrograms(published.programs, asked.query);
  const { concerns } = tenant;
  const main = html`<h1><bdi>${tenantId}</bdi></h1>
${concerns.map((concern) => notice(concern.severity, concernItem(concern, reader, true)))}
${describedFacts(tenantFacts(tenant), reader)}
${found !== null && programsSection({ found, path: tenantPath(tenantId), programPath: (id) => programPath(tenantId, id) })}
${whyForm(tenantId)}
<p><a href="${auditPath(tenantId)}">What operators changed, and why</a></p>
${published !== null && published.snapshots.length > 0 && snapshotList(tenantId, published.snapshots, reader)}`;
  const tables = found === null ? [] : [programsTable(found)];
  return { status: 200, title: tenantId, trail: homeTrail, main, tables };
});

async function readPublished(store: ObjectStore, tenantId: TenantId, signal: AbortSignal) {
  const live = await publishedSnapshot(store, tenantId, signal);
  if (live === undefined) throw new Failure("not_found", `Tenant ${tenantId} is not published any more.`);
  const programs = await storedPrograms(store, live.manifest, signal);
  const { published } = await readTenantSnapshots(store, live.pointer, signal);
  return { programs, snapshots: published };
}

/** The form for the question that brings most people to these pages. The explain page has it, too. */
export function whyForm(tenantId: string, programId = ""): Html {
  return html`<section aria-labelledby="why"><h2 id="why">${programId === "" ? "Why isn’t a program served?" : "Ask about another program"}</h2>
<form class="search" action="${explainPath(tenantId)}" method="get">
<label for="program">Program id, as the partner or the booking system writes it</label>
<div class="field"><input id="program" name="program" required maxlength="500" autocomplete="off" spellcheck="false" value="">
<button>Explain</button></div>
</form></section>`;
}

function snapshotList(tenantId: string, snapshots: readonly PublishedSnapshot[], reader: Reader): Html {
  const total = snapshots.length;
  return html`<section aria-labelledby="snapshots"><h2 id="snapshots">Snapshots</h2>
${snapshotTable(tenantId, newest(snapshots), reader)}
<p><a href="${snapshotsPath(tenantId)}">${total === 1 ? "The snapshot" : `All ${numberText(total)} snapshots`}, and what partners saw when</a></p></section>`;
}
