import type { ResponseEntry } from "../../../core/documents/manifest.ts";
import { unlessFailed } from "../../../core/ground/failure.ts";
import { isProgramId, type TenantId } from "../../../core/ground/ids.ts";
import { printableJson } from "../../../core/ground/printable.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import {
  fieldLabel,
  ownLabel,
  type ProgramChange,
  programChanges,
  shown,
  valueWords,
} from "../../output/field-words.ts";
import { directionOf, type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/words.ts";
import { dataOf, readPointer, responseBytes } from "../../publish/snapshot/stored-snapshot.ts";
import {
  type ProgramVersion,
  type ProgramVersions,
  readProgramVersions,
} from "../../read/snapshots/program-past.ts";
import { explainProgram } from "../explain.ts";
import { goneSince, verdictTone } from "../judgement/standings.ts";
import { describedProgram } from "../texts/program.ts";
import { programPath, tenantPath } from "./addresses.ts";
import { homeTrail, type Inspection, type Page } from "./page.ts";
import { badge, dataTable, describedList, labelledList, notice, section, stepList, time } from "./parts.ts";

/**
 * A program: why partners see of it what they see, what that is, and what it was. `version` in the query
 * names a snapshot: then the page shows what changed when it came. The id is not checked to be one, since the
 * page also explains ill-formed ids.
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

/** The versions; none when the tenant's pointer is damaged or no snapshot has the program. */
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
      // Without a place in a list.
      const label = ownLabel(own).replace(/ \d+$/, "");
      return html`<div><dt>${label.charAt(0).toUpperCase()}${label.slice(1)}</dt><dd>${valueHtml(own, part, currency)}</dd></div>`;
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

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What turned one version into the next, or why that cannot be shown. */
async function versionChanges(
  store: ObjectStore,
  before: ProgramVersion["entry"],
  after: ProgramVersion["entry"],
  signal: AbortSignal,
): Promise<readonly ProgramChange[] | string> {
  if (before === "unknown" || after === "unknown") {
    return "What partners saw in one of these times is not kept or damaged.";
  }
  if (before === null) return "It appeared: partners got 404 before.";
  if (after === null) return "It went: partners got 404 from then on.";
  const read = async (entry: ResponseEntry): Promise<unknown> =>
    dataOf(await responseBytes(store, entry, signal), entry.key);
  const found = await unlessFailed(Promise.all([read(before), read(after)]), "corrupt_document");
  return found === undefined ? "One of the two versions is damaged." : programChanges(found[0], found[1]);
}

interface ShownVersions extends ProgramVersions {
  readonly tenantId: string;
  readonly programId: string;
  /** When the tenant was removed, so that partners saw the newest version only until then; RFC 3339. */
  readonly removedAt: string | null;
  /** The version that is shown, and what changed when it came; `null` for the oldest one. */
  readonly compared: {
    readonly version: ProgramVersion;
    readonly changes: readonly ProgramChange[] | string;
  } | null;
}

/** P48: a program's versions over time, and what changed with one of them. */
function versionsSection(view: ShownVersions, reader: Reader): Html | false {
  const { versions, hasOlder, compared } = view;
  if (versions.length === 0) return false;
  const changed =
    compared !== null &&
    html`<h3>What changed ${time(compared.version.from, reader)}</h3>
${typeof compared.changes === "string" ? notice("neutral", html`<p>${compared.changes}</p>`) : changeTable("What changed", compared.changes)}`;
  return section(
    "versions",
    "Versions",
    html`<ol class="versions" reversed>${versions.map((version, at) => versionItem(view, version, at, reader))}</ol>
<p class="rule">As far as snapshots are kept.${hasOlder && " There are older ones: `snapshot list` has them."} A gateway follows within seconds; one that could not reach the store went on for a while with what it had.</p>
${changed}`,
  );
}

function versionItem(view: ShownVersions, version: ProgramVersion, at: number, reader: Reader): Html {
  const { tenantId, programId, versions, removedAt } = view;
  const { from, until, snapshots, how } = version;
  const snapshotId = snapshots[0]?.snapshotId ?? "";
  const end = until ?? removedAt;
  const link = html`<a href="${programPath(tenantId, programId, snapshotId)}">What changed</a>`;
  return html`<li>${badge(...mark(versions, at))} from ${time(from, reader)} ${end === null ? "until now" : html`until ${time(end, reader)}`}
<span class="line">${how === "published" ? "A build published" : "A rollback went to"} <code>${snapshotId}</code>. ${at > 0 && link}</span></li>`;
}

function mark(versions: readonly ProgramVersion[], at: number): Parameters<typeof badge> {
  const [own, before] = [versions[at]?.entry, versions[at + 1]?.entry];
  if (own === "unknown") return ["not known", "doubtful"];
  if (own === null) return [before === undefined ? "not there" : "gone", "bad"];
  if (before === undefined || before === "unknown") return ["there", "good"];
  return before === null ? ["appeared", "good"] : ["changed", "neutral"];
}

function changeTable(caption: string, changes: readonly ProgramChange[]): Html {
  const nothing = html`<span class="none">nothing</span>`;
  const table = dataTable(caption, changes, {
    Field: ({ path, words }) => html`<span title="${path}">${words.label}</span>`,
    Before: ({ words }) => (words.before === null ? nothing : html`<del>${shown(words.before)}</del>`),
    After: ({ words }) => (words.after === null ? nothing : html`<ins>${shown(words.after)}</ins>`),
  });
  return html`<div class="changes">${table}</div>`;
}
