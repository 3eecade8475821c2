import { unlessFailed } from "../../../core/failure.ts";
import { isProgramId, type TenantId } from "../../../core/ids.ts";
import { printableJson } from "../../../core/printable.ts";
import { type Html, html } from "../../output/html.ts";
import { explainProgram } from "../explain.ts";
import { verdictTone } from "../judgement/standings.ts";
import { goneSince } from "../judgement/tenant.ts";
import { describedProgram } from "../texts/program.ts";
import { tenantPath } from "./addresses.ts";
import { homeTrail, type Inspection, type Page } from "./page.ts";
import { describedList, notice, section, stepList } from "./parts.ts";
import { programDocument } from "./program-document.ts";
import {
  changeTable,
  type ProgramVersion,
  type ProgramVersions,
  programVersions,
  versionChanges,
  versionsSection,
} from "./versions.ts";

/**
 * A program: why partners see of it what they see, what that is, and what it was. `version` in the query names a snapshot: then
 * the page shows what changed when it came. The id is not checked to be one, since the page also explains ill-formed ids.
 */
export async function programPage(
  tenantId: TenantId,
  programId: string,
  query: URLSearchParams,
  inspection: Inspection,
): Promise<Page> {
  const reader = inspection.reader();
  const { store, signal } = inspection;
  const [explanation, found] = await Promise.all([
    explainProgram({ ...inspection, reader }, { tenantId, programId }),
    versionsOf(inspection, tenantId, programId),
  ]);
  const { verdict, summary, next, changes, store: stored, tenant } = explanation;
  const wanted = query.get("version");
  const isOfWanted = ({ snapshotIds }: ProgramVersion): boolean => snapshotIds.some((id) => id === wanted);
  const at = Math.max(0, found.versions.findIndex(isOfWanted));
  const [version, before] = found.versions.slice(at);
  const compared =
    version === undefined || before === undefined
      ? null
      : { version, changes: await versionChanges(store, before.entry, version.entry, signal) };
  const removedAt = goneSince(tenant);
  const document = stored.kind === "live" ? stored.served?.document : undefined;
  const title = nameOf(document) ?? programId;
  const main = html`<h1><bdi>${title}</bdi></h1>
${title !== programId && html`<p class="lead"><code>${programId}</code></p>`}
${notice(verdictTone(verdict), html`<p>${summary}</p>`)}
${section("next", "What to do next", stepList(next.steps))}
${document !== undefined && documentSection(document, removedAt === null)}
${
  changes !== null &&
  changes.length > 0 &&
  section(
    "pending",
    "What the booking system has, and partners do not see",
    changeTable("Differences", changes),
  )
}
${versionsSection({ ...found, tenantId, programId, removedAt, compared }, reader)}
${section("way", "From the booking system to the partner", describedList(describedProgram(explanation), reader))}`;
  const trail = [...homeTrail, { text: tenantId, path: tenantPath(tenantId) }];
  return { status: 200, title, trail, main };
}

function documentSection(document: unknown, isSeen: boolean): Html {
  return section(
    "document",
    isSeen ? "What partners get" : "What partners got",
    html`${programDocument(document)}
<details><summary>JSON, indented for reading</summary>
<pre tabindex="0">${printableJson({ data: document })}</pre></details>`,
  );
}

function nameOf(document: unknown): string | undefined {
  const name = typeof document === "object" && document !== null && "name" in document && document.name;
  return typeof name === "string" && name.trim() !== "" ? name : undefined;
}

/** The versions; none where the explanation says that the tenant's pointer is damaged, or that no snapshot has the program. */
async function versionsOf(
  { store, signal }: Inspection,
  tenantId: TenantId,
  programId: string,
): Promise<ProgramVersions> {
  const none = { versions: [], hasOlder: false };
  if (!isProgramId(programId)) return none;
  const found = await unlessFailed(programVersions(store, tenantId, programId, signal), "corrupt_document");
  return found === undefined || found.versions.every(({ entry }) => entry === null) ? none : found;
}
