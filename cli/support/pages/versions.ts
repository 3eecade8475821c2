import { unlessFailed } from "../../../core/failure.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { type ProgramChange, programChanges, shown } from "../../operate/snapshots/program-changes.ts";
import type { ProgramVersion, ProgramVersions } from "../../operate/snapshots/program-history.ts";
import { type Html, html } from "../../output/html.ts";
import { exactTime, type Reader } from "../../output/times.ts";
import { dataOf, responseBytes } from "../../publish/snapshot/stored-snapshot.ts";
import { programPath } from "./addresses.ts";
import { badge, dataTable, notice, section, time } from "./parts.ts";

/** What turned one version into the next, or why that cannot be shown. */
export async function versionChanges(
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

export interface ShownVersions extends ProgramVersions {
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

/** P48: a program's versions over time, as a picture and in words, and what changed with one of them. */
export function versionsSection(view: ShownVersions, reader: Reader): Html | false {
  const { versions, hasOlder, compared } = view;
  if (versions.length === 0) return false;
  const changed =
    compared !== null &&
    html`<h3>What changed ${time(compared.version.from, reader)}</h3>
${typeof compared.changes === "string" ? notice("neutral", html`<p>${compared.changes}</p>`) : changeTable("What changed", compared.changes)}`;
  return section(
    "versions",
    "Versions",
    html`${strip(view, reader)}
<ol class="versions" reversed>${versions.map((version, at) => versionItem(view, version, at, reader))}</ol>
<p class="rule">As far as snapshots are kept.${hasOlder && " There are older ones: `snapshot list` has them."} A gateway follows within seconds; one that could not reach the store went on for a while with what it had.</p>
${changed}`,
  );
}

const width = 1000;
const height = 28;

/** The picture: a bar for each version, from the oldest to now. The list below has the times as text. */
function strip({ versions, removedAt }: ShownVersions, { now }: Reader): Html {
  const begin = Date.parse(versions.at(-1)?.from ?? now.toISOString());
  const length = Math.max(1, now.getTime() - begin);
  const place = (at: string): number => Math.round(((Date.parse(at) - begin) / length) * width);
  const bars = versions.map(({ from, until, entry }, at) => {
    const end = place(until ?? removedAt ?? now.toISOString());
    // A short version stays visible, and neighbours differ in their shade.
    const shade = `there${(versions.length - 1 - at) % 2}`;
    const kind = entry === "unknown" ? "unknown" : entry === null ? "absent" : shade;
    return html`<rect class="${kind}" x="${place(from)}" y="0" width="${Math.max(3, end - place(from) - 1)}" height="${height}"></rect>`;
  });
  return html`<svg class="strip" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="Versions over time; the list below has their times">${bars.reverse()}</svg>
<p class="ends"><span>${exactTime(new Date(begin).toISOString())}</span><span>now</span></p>`;
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

export function changeTable(caption: string, changes: readonly ProgramChange[]): Html {
  const nothing = html`<span class="none">nothing</span>`;
  const table = dataTable(caption, changes, {
    Field: ({ path, words }) => html`<span title="${path}">${words.label}</span>`,
    Before: ({ words }) => (words.before === null ? nothing : html`<del>${shown(words.before)}</del>`),
    After: ({ words }) => (words.after === null ? nothing : html`<ins>${shown(words.after)}</ins>`),
  });
  return html`<div class="changes">${table}</div>`;
}
