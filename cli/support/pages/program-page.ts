import { asFailure, Failure } from "../../../core/failure.ts";
import { isProgramId, parseTenantId, type TenantId } from "../../../core/ids.ts";
import { printableJson } from "../../../core/printable.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { type Explanation, explainProgram } from "../explain.ts";
import { verdictTone } from "../judgement/standing.ts";
import { goneSince } from "../judgement/tenant.ts";
import { describedProgram } from "../texts/described-program.ts";
import { programPath, tenantPath } from "./addresses.ts";
import { type Page, tenantTrail } from "./page.ts";
import { describedList, labelledList, notice, section, stepList, time } from "./parts.ts";
import { programDocument } from "./program-document.ts";
import { type ProgramVersion, programVersions, versionChanges, versionDocument } from "./program-versions.ts";
import { whyForm } from "./programs-section.ts";
import { type Inspection, route } from "./route.ts";
import { changeTable, type ShownVersions, versionsSection } from "./version-strip.ts";

/** A program: why partners see of it what they see, what that is, and what it was. */
export const programRoutes = [
  route("/tenants/:tenant/programs/:program", async ([tenant = "", program = ""], query, inspection) =>
    programPage(parseTenantId(tenant), program, query, inspection),
  ),
  // The forms ask in this way, and so does an id that cannot stand in a path.
  route("/tenants/:tenant/programs", async ([tenant = ""], query, inspection) => {
    const tenantId = parseTenantId(tenant);
    const programId = query.get("id")?.trim() ?? "";
    if (programId === "" || programId.length > maxIdLength) return { location: tenantPath(tenantId) };
    const path = programPath(tenantId, programId);
    if (!path.includes("?")) return { location: path };
    return programPage(tenantId, programId, query, inspection);
  }),
];

const maxIdLength = 500;

async function programPage(
  tenantId: TenantId,
  programId: string,
  query: URLSearchParams,
  inspection: Inspection,
): Promise<Page> {
  const reader = inspection.reader();
  const { store, signal } = inspection;
  // The id is not checked to be one, since the page also explains ill-formed ids.
  const [explanation, versions] = await Promise.all([
    explainProgram({ ...inspection, reader }, { tenantId, programId }),
    shownVersions(inspection, tenantId, programId, query),
  ]);
  const wanted = query.get("version");
  const version = wanted === null ? undefined : versionOf(versions, wanted);
  const { verdict, summary, next, changes, store: stored } = explanation;
  const served = stored.kind === "live" ? stored.served?.document : undefined;
  const document =
    version === undefined ? served : await versionDocument(store, version, signal).catch(damageOf);
  const title = nameOf(document) ?? programId;
  const main = html`<h1><bdi>${title}</bdi></h1>
${title !== programId && html`<p class="lead"><code>${programId}</code></p>`}
${notice(verdictTone(verdict), html`<p>${summary}</p>`)}
${section("next", "What to do next", stepList(next.steps))}
${documentSection(explanation, { wanted, ...(version && { version }), document }, reader)}
${
  changes !== null &&
  changes.length > 0 &&
  section(
    "pending",
    "What the booking system has, and partners do not see",
    changeTable("Differences", changes),
  )
}
${versionsSection({ ...versions, removedAt: goneSince(explanation.tenant) }, reader)}
${section("way", "From the booking system to the partner", describedList(describedProgram(explanation), reader))}
${whyForm(tenantId, programId)}`;
  return { status: 200, title, trail: tenantTrail(tenantId), main };
}

function nameOf(document: unknown): string | undefined {
  const name = typeof document === "object" && document !== null && "name" in document && document.name;
  return typeof name === "string" && name.trim() !== "" ? name : undefined;
}

/** The versions, and the two of them that the address compares: `from` and `to` name snapshots. */
async function shownVersions(
  { store, signal }: Inspection,
  tenantId: TenantId,
  programId: string,
  query: URLSearchParams,
): Promise<Omit<ShownVersions, "removedAt">> {
  const found = isProgramId(programId)
    ? await programVersions(store, tenantId, programId, signal).catch(damageOf)
    : nothing;
  // The explanation says that the tenant's pointer is damaged, or that no snapshot has the program.
  if (found instanceof Failure || found.versions.every(({ entry }) => entry === null)) {
    return { ...nothing, tenantId, programId, compared: null };
  }
  const { versions } = found;
  const after = versionOf(found, query.get("to")) ?? versions[0];
  const before = versionOf(found, query.get("from")) ?? versions[1];
  const compared =
    after === undefined || before === undefined
      ? null
      : { before, after, changes: await versionChanges(store, before, after, signal) };
  return { ...found, tenantId, programId, compared };
}

const nothing = { versions: [], hasOlder: false };

/** Throws for every failure but damage. */
function damageOf(error: unknown): Failure {
  const failure = asFailure(error);
  if (failure.code !== "corrupt_document") throw error;
  return failure;
}

/** The version that partners saw while the snapshot was live. */
function versionOf(
  { versions }: { readonly versions: readonly ProgramVersion[] },
  snapshotId: string | null,
): ProgramVersion | undefined {
  return versions.find(({ snapshotIds }) => snapshotIds.some((id) => id === snapshotId));
}

/** What partners get now, or got while the `wanted` version was live; `false` for nothing. */
function documentSection(
  explanation: Explanation,
  { wanted, version, document }: { wanted: string | null; version?: ProgramVersion; document: unknown },
  reader: Reader,
): Html | false {
  const { tenantId, programId, store } = explanation;
  const now = html`<a href="${programPath(tenantId, programId)}">What partners get now</a>`;
  const missing = (why: string): Html => notice("doubtful", html`<p>${why} ${now}</p>`);
  if (wanted !== null && version === undefined) return missing("That version is not kept any more.");
  if (document instanceof Failure) return missing(document.message);
  if (document === undefined) return version !== undefined && missing("Partners got 404 then.");
  const served = store.kind === "live" ? store.served : null;
  const entry = version === undefined || version.entry === "unknown" ? served : version.entry;
  const removedAt = goneSince(explanation.tenant);
  const until = version === undefined ? removedAt : (version.until ?? removedAt);
  return section(
    "document",
    until === null ? "What partners get" : "What partners got",
    html`${version !== undefined && until !== null && notice("doubtful", html`<p>This is not what they get now. They got it from ${time(version.from, reader)} until ${time(until, reader)}. ${now}</p>`)}
${programDocument(document)}
${
  entry !== null &&
  labelledList(
    [
      ["Object", html`<code>${entry.key}</code>`],
      ["SHA-256", html`<code>${entry.sha256}</code>`],
      ["With curl", html`<code class="command">${curlLine(programId)}</code>`],
    ],
    "steps",
  )
}
<details><summary>JSON, indented for reading</summary>
<pre tabindex="0">${printableJson({ data: document })}</pre></details>`,
  );
}

/** A call to paste into a terminal. It names a variable instead of a token, since no page holds a token. */
function curlLine(programId: string): string {
  const address = `https://GATEWAY/v1/programs/${encodeURIComponent(programId)}`;
  return `curl -i -H "Authorization: Bearer $TOKEN" '${address.replaceAll("'", "%27")}'`;
}
