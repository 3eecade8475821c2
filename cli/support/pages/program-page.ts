import { asFailure, Failure } from "../../../core/failure.ts";
import { isProgramId, type TenantId } from "../../../core/ids.ts";
import { printableJson } from "../../../core/printable.ts";
import { type Html, html } from "../../output/html.ts";
import { explainProgram } from "../explain.ts";
import { verdictTone } from "../judgement/standings.ts";
import { goneSince } from "../judgement/tenant.ts";
import { describedProgram } from "../texts/program.ts";
import { programPath } from "./addresses.ts";
import { type Inspection, type Page, tenantTrail } from "./page.ts";
import { describedList, notice, section, stepList, time } from "./parts.ts";
import { programDocument } from "./program-document.ts";
import { whyForm } from "./tenant-page.ts";
import {
  changeTable,
  type ProgramVersion,
  type ProgramVersions,
  programVersions,
  versionChanges,
  versionDocument,
  versionsSection,
} from "./versions.ts";

/**
 * A program: why partners see of it what they see, what that is, and what it was. `version` in the query names a snapshot: then
 * the page shows what partners got while it was live. The id is not checked to be one, since the page also explains ill-formed ids.
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
  const at = wanted === null ? 0 : found.versions.findIndex(isOfWanted);
  const [version, before] = at === -1 ? [] : found.versions.slice(at);
  const served = stored.kind === "live" ? stored.served?.document : undefined;
  const document =
    wanted !== null && version !== undefined
      ? await versionDocument(store, version, signal).catch(damageOf)
      : served;
  const compared =
    version === undefined || before === undefined
      ? null
      : { version, changes: await versionChanges(store, before, version, signal) };
  const removedAt = goneSince(tenant);
  const title = nameOf(document) ?? programId;
  const main = html`<h1><bdi>${title}</bdi></h1>
${title !== programId && html`<p class="lead"><code>${programId}</code></p>`}
${notice(verdictTone(verdict), html`<p>${summary}</p>`)}
${section("next", "What to do next", stepList(next.steps))}
${documentPart()}
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
${section("way", "From the booking system to the partner", describedList(describedProgram(explanation), reader))}
${whyForm(tenantId, programId)}`;
  return { status: 200, title, trail: tenantTrail(tenantId), main };

  /** What partners get now, or got while the wanted version was live; `false` for nothing. */
  function documentPart(): Html | false {
    const now = html`<a href="${programPath(tenantId, programId)}">What partners get now</a>`;
    const missing = (why: string): Html => notice("doubtful", html`<p>${why} ${now}</p>`);
    if (wanted !== null && version === undefined) return missing("That version is not kept any more.");
    if (document instanceof Failure) return missing(document.message);
    if (document === undefined) return wanted !== null && missing("Partners got 404 then.");
    const then = wanted === null ? undefined : version;
    const until = then?.until ?? removedAt;
    return section(
      "document",
      until === null ? "What partners get" : "What partners got",
      html`${then !== undefined && until !== null && notice("doubtful", html`<p>This is not what they get now. They got it from ${time(then.from, reader)} until ${time(until, reader)}. ${now}</p>`)}
${programDocument(document)}
<details><summary>JSON, indented for reading</summary>
<pre tabindex="0">${printableJson({ data: document })}</pre></details>`,
    );
  }
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
  const found = await programVersions(store, tenantId, programId, signal).catch(damageOf);
  return found instanceof Failure || found.versions.every(({ entry }) => entry === null) ? none : found;
}

/** Throws for every failure but damage. */
function damageOf(error: unknown): Failure {
  const failure = asFailure(error);
  if (failure.code !== "corrupt_document") throw error;
  return failure;
}
