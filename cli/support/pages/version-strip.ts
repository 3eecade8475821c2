import { shown } from "../../operate/snapshots/diff-text.ts";
import type { ProgramChange } from "../../operate/snapshots/program-changes.ts";
import { type Html, html } from "../../output/html.ts";
import { exactTime, type Reader, relativeTime } from "../../output/times.ts";
import { programPath } from "./addresses.ts";
import { badge, dataTable, notice, section, time } from "./parts.ts";
import type { ProgramVersion, ProgramVersions } from "./program-versions.ts";

export interface ShownVersions extends ProgramVersions {
  readonly tenantId: string;
  readonly programId: string;
  /** When the tenant was removed, so that partners saw the newest version only until then; RFC 3339. */
  readonly removedAt: string | null;
  /** The two versions that are compared, and what turned one into the other. */
  readonly compared: {
    readonly before: ProgramVersion;
    readonly after: ProgramVersion;
    readonly changes: readonly ProgramChange[] | string;
  } | null;
}

/** P72: a program's versions over time, as a picture and in words, and what changed between two of them. */
export function versionsSection(view: ShownVersions, reader: Reader): Html | false {
  const { versions, hasOlder, compared } = view;
  if (versions.length === 0) return false;
  return section(
    "versions",
    "Versions",
    html`${strip(view, reader)}
<ol class="versions" reversed>${versions.map((version, at) => versionItem(view, version, at, reader))}</ol>
<p class="rule">As far as snapshots are kept.${hasOlder && " There are older ones: `snapshot list` has them."} A gateway follows within seconds; one that could not reach the store went on for a while with what it had.</p>
${compared !== null && html`<h3>What changed</h3>${chooser(view, compared, reader)}${changesHtml(compared.changes)}`}`,
  );
}

const width = 1000;
const height = 28;

/** The picture: a bar for each version, from the oldest to now. The list below has the times as text. */
function strip({ versions, removedAt }: ShownVersions, { now }: Reader): Html {
  const times = versions.map(({ from, until }) => {
    const end = until ?? removedAt;
    return { from: Date.parse(from), until: end === null ? now.getTime() : Date.parse(end) };
  });
  const begin = times.at(-1)?.from ?? 0;
  const length = Math.max(1, now.getTime() - begin);
  const place = (at: number): number => Math.round(((at - begin) / length) * width);
  const bars = versions.map(({ entry }, at) => {
    const { from, until } = times[at] ?? { from: 0, until: 0 };
    // A short version stays visible, and neighbours differ in their shade.
    const kind =
      entry === "unknown" ? "unknown" : entry === null ? "absent" : `there${(versions.length - 1 - at) % 2}`;
    return html`<rect class="${kind}" x="${place(from)}" y="0" width="${Math.max(3, place(until) - place(from) - 1)}" height="${height}"></rect>`;
  });
  return html`<svg class="strip" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="Versions over time; the list below has their times">${bars.reverse()}</svg>
<p class="ends"><span>${exactTime(new Date(begin).toISOString())}</span><span>now</span></p>`;
}

function versionItem(
  { tenantId, programId, versions, removedAt }: ShownVersions,
  version: ProgramVersion,
  at: number,
  reader: Reader,
): Html {
  const { from, until, entry, snapshotIds, isRollback } = version;
  const [snapshotId] = snapshotIds;
  const end = until ?? removedAt;
  return html`<li>${badge(...mark(versions, at))} from ${time(from, reader)} ${end === null ? "until now" : html`until ${time(end, reader)}`}
<span class="line">${isRollback ? "A rollback went to" : "A build published"} <code>${snapshotId}</code>.
${entry !== null && entry !== "unknown" && at > 0 && html`<a href="${programPath(tenantId, programId, snapshotId)}">What partners got</a>`}</span></li>`;
}

function mark(versions: readonly ProgramVersion[], at: number): Parameters<typeof badge> {
  const [own, before] = [versions[at]?.entry, versions[at + 1]?.entry];
  if (own === "unknown") return ["not known", "doubtful"];
  if (own === null) return [before === undefined ? "not there" : "gone", "bad"];
  if (before === undefined || before === "unknown") return ["there", "good"];
  return before === null ? ["appeared", "good"] : ["changed", "neutral"];
}

/** The form that chooses two versions. An address without a choice compares the newest two. */
function chooser(
  { tenantId, programId, versions }: ShownVersions,
  { before, after }: NonNullable<ShownVersions["compared"]>,
  reader: Reader,
): Html {
  const field = (name: string, label: string, chosen: ProgramVersion): Html => {
    const options = versions.map((version) => {
      const [id = ""] = version.snapshotIds;
      const text = `${exactTime(version.from)}, ${relativeTime(new Date(version.from), reader.now)}`;
      return version === chosen
        ? html`<option value="${id}" selected>${text}</option>`
        : html`<option value="${id}">${text}</option>`;
    });
    return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${options}</select></div>`;
  };
  return html`<form class="search pair" action="${programPath(tenantId, programId)}#versions" method="get">
${/^\.{0,2}$/.test(programId) && html`<input type="hidden" name="id" value="${programId}">`}
${field("from", "From", before)}
${field("to", "To", after)}
<button>Compare</button>
</form>`;
}

function changesHtml(changes: readonly ProgramChange[] | string): Html {
  if (typeof changes === "string") return notice("neutral", html`<p>${changes}</p>`);
  if (changes.length === 0) return html`<p>Partners got the same both times.</p>`;
  return changeTable("What changed", changes);
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
