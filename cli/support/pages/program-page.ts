import { unlessFailed } from "../../../core/failure.ts";
import { isProgramId, type TenantId } from "../../../core/ids.ts";
import { printableJson } from "../../../core/printable.ts";
import {
  type ProgramVersion,
  type ProgramVersions,
  readProgramVersions,
} from "../../operate/snapshots/program-history.ts";
import { fieldLabel, valueWords } from "../../output/field-words.ts";
import { directionOf, type Html, html } from "../../output/html.ts";
import { readPointer } from "../../publish/snapshot/live-snapshot.ts";
import { explainProgram } from "../explain.ts";
import { verdictTone } from "../judgement/standings.ts";
import { goneSince } from "../judgement/tenant.ts";
import { describedProgram } from "../texts/program.ts";
import { tenantPath } from "./addresses.ts";
import { homeTrail, type Inspection, type Page } from "./page.ts";
import { describedList, labelledList, notice, section, stepList } from "./parts.ts";
import { changeTable, versionChanges, versionsSection } from "./versions.ts";

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
  const isOfWanted = ({ snapshots }: ProgramVersion): boolean =>
    snapshots.some(({ snapshotId }) => snapshotId === wanted);
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
  const pointer = await unlessFailed(readPointer(store, tenantId, signal), "corrupt_document");
  const found = pointer && (await readProgramVersions(store, pointer, programId, signal));
  return found === undefined || found.versions.every(({ entry }) => entry === null) ? none : found;
}

/** A published program in words, whatever its fields are. Fields without a value are named at the end. */
function programDocument(document: unknown): Html {
  if (!isRecord(document)) return html`<p>The stored document is no JSON object.</p>`;
  const currency = typeof document.currency === "string" ? document.currency : null;
  const fields = Object.entries(document);
  const rows = fields.filter(([, value]) => !isEmpty(value));
  const empty = fields.filter(([, value]) => isEmpty(value)).map(([path]) => fieldLabel(path));
  return html`${labelledList(rows.map(([path, value]) => [fieldLabel(path), valueHtml(path, value, currency)]))}
${empty.length > 0 && html`<p class="lead">Nothing is published of: ${empty.join(", ")}.</p>`}`;
}

function valueHtml(path: string, value: unknown, currency: string | null): Html {
  if (isEmpty(value)) return html`–`;
  if (Array.isArray(value)) {
    const items = value.map((item, at) => html`<li>${valueHtml(`${path}[${at}]`, item, currency)}</li>`);
    return html`<ul dir="${directionOf(value.join(" "))}">${items}</ul>`;
  }
  if (isRecord(value)) {
    const parts = Object.entries(value).filter(([, part]) => !isEmpty(part));
    return html`<dl class="parts">${parts.map(([name, part]) => {
      const own = `${path}.${name}`;
      return html`<div><dt>${ownLabel(own)}</dt><dd>${valueHtml(own, part, currency)}</dd></div>`;
    })}</dl>`;
  }
  const words = valueWords(path, value, currency);
  if (typeof value !== "string") return html`<span class="whole">${words}</span>`;
  // A calendar day; other texts come back in quotes.
  if (words !== JSON.stringify(value)) return html`<time class="whole" datetime="${value}">${words}</time>`;
  // Pictures are not shown, since these pages load nothing from other servers.
  if (value.startsWith("https://")) return html`<a href="${value}" rel="noopener noreferrer">${value}</a>`;
  return html`<span class="prose" dir="${directionOf(value)}">${value}</span>`;
}

/** The label of a part without that of the whole, and without a place in a list: `Hotel 1, name` is `Name`. */
function ownLabel(path: string): string {
  const label = fieldLabel(path);
  const own = label.slice(label.lastIndexOf(", ") + 1).trim();
  return `${own.charAt(0).toUpperCase()}${own.slice(1).replace(/ \d+$/, "")}`;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
