import { asFailure } from "../../../core/failure.ts";
import type { ProgramId, TenantId } from "../../../core/ids.ts";
import { programPast } from "../../operate/snapshots/program-past.ts";
import { type Html, html } from "../../output/html.ts";
import { publishedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { nearestName } from "../../shell/nearest-name.ts";
import { explainPath, programPath, snapshotProgramPath, tenantPath, timelinePath } from "./addresses.ts";
import { type Page, tenantTrail } from "./page.ts";
import { notice } from "./parts.ts";
import type { Inspection } from "./route.ts";
import { whyForm } from "./tenant-page.ts";

/**
 * The page. For a missing program, a page with links instead: to the explanation, to the program's last version, and to the
 * program with the nearest id.
 */
export async function notFoundPage(
  { tenantId, programId }: { readonly tenantId: TenantId; readonly programId: ProgramId },
  inspection: Inspection,
  page: () => Promise<Page>,
): Promise<Page> {
  try {
    return await page();
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code !== "not_found") throw error;
    const where = await whereItIs(tenantId, programId, inspection);
    const main = html`<h1>No program <bdi>${programId}</bdi> here</h1>
${notice("bad", html`<p>${message}</p>`)}
${where}
<ul class="ways">
<li><a href="${explainPath(tenantId, programId)}">Explain why partners don’t get ${programId}</a></li>
<li><a href="${timelinePath(tenantId, programId)}">See when they did, and what it was</a></li>
<li><a href="${tenantPath(tenantId)}">All programs of ${tenantId}</a></li>
</ul>
${whyForm(tenantId, programId)}`;
    const trail = tenantTrail(tenantId);
    return { status: 404, title: `No program ${programId}`, trail, main };
  }
}

/**
 * A link to the program in the live snapshot, or else to its last version that partners got, as far as snapshots are kept, or
 * else to the program with the nearest id.
 */
async function whereItIs(
  tenantId: TenantId,
  programId: ProgramId,
  { store, reader, signal }: Inspection,
): Promise<Html | false> {
  const live = await publishedSnapshot(store, tenantId, signal);
  if (live === undefined) return false;
  const { manifest } = live;
  if (manifest.programs.has(programId)) {
    return html`<p>The live snapshot has it: <a href="${programPath(tenantId, programId)}">what partners get now</a>.</p>`;
  }
  const lacking = { snapshotId: manifest.snapshotId, at: reader().now };
  const past = await programPast(store, live, programId, lacking, signal);
  if ("last" in past) {
    return html`<p>Partners got it before: <a href="${snapshotProgramPath(tenantId, past.last.snapshotId, programId)}">as it last was</a>.</p>`;
  }
  const near = nearestName(programId, manifest.programs.ids());
  return (
    near !== undefined &&
    html`<p>Did you mean <a href="${programPath(tenantId, near)}"><code>${near}</code></a>?</p>`
  );
}
