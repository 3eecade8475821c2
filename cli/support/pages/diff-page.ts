import type { NamedProgram, SnapshotDiff } from "../../operate/snapshots/snapshot-diff.ts";
import type { PublishedSnapshot } from "../../operate/snapshots/tenant-snapshots.ts";
import { type Html, html } from "../../output/html.ts";
import { exactTime, relativeTime } from "../../output/relative-time.ts";
import { diffPath, explainPath, home, snapshotProgramPath, tenantPath } from "./addresses.ts";
import { changeTable } from "./change-rows.ts";
import { type CsvTable, type CsvValue, csvValue } from "./csv.ts";
import type { Page } from "./page.ts";

/** The difference between two snapshots of a tenant. */
export interface DiffView {
  readonly tenantId: string;
  /** To choose from, newest first. */
  readonly snapshots: readonly PublishedSnapshot[];
  readonly diff: SnapshotDiff;
  /** Programs whose fields were compared. */
  readonly maxDetails: number;
}

export function diffPage({ tenantId, snapshots, diff, maxDetails }: DiffView, now: Date): Page {
  const { from, to, added, removed, changed, unchanged, listChanged, legacyChanged } = diff;
  const isSame = added.length + removed.length + changed.length === 0 && !listChanged && !legacyChanged;
  const choices = { snapshots: withChosen(snapshots, diff), from: from.snapshotId, to: to.snapshotId };
  const after: Linked = (programId) => snapshotProgramPath(tenantId, to.snapshotId, programId);
  const before: Linked = (programId) => snapshotProgramPath(tenantId, from.snapshotId, programId);
  const total = added.length + removed.length + changed.length;
  const main = html`<h1>Changes between two snapshots</h1>
${chooser(tenantId, choices, now)}
<p class="lead">${isSame ? "Partners get the same bytes from both." : `${removed.length} removed, ${added.length} added, ${changed.length} changed, ${unchanged} the same.`}</p>
${named("Removed", removed, before, (programId) => html` <a href="${explainPath(tenantId, programId)}">Why?</a>`)}
${named("Added", added, after)}
${
  changed.length > 0 &&
  html`<section aria-labelledby="changed"><h2 id="changed">Changed</h2>${changed
    .filter(({ changes }) => changes !== null)
    .map(
      (program) => html`<h3>${title(program, after)}</h3>
${changeTable(`Changes of ${program.programId}`, program.changes ?? [])}`,
    )}</section>`
}
${total > maxDetails && html`<p>Only ${maxDetails} programs were compared field by field; <code>snapshot diff</code> compares more.</p>`}`;
  const trail = [
    { text: "Tenants", path: home },
    { text: tenantId, path: tenantPath(tenantId) },
  ];
  return { status: 200, title: "Changes", trail, main, tables: [diffTable(diff)] };
}

interface Choices {
  readonly snapshots: readonly SnapshotChoice[];
  readonly from: string;
  readonly to: string;
}

type SnapshotChoice = Pick<PublishedSnapshot, "snapshotId" | "generatedAt" | "isLive">;

/** A snapshot that is compared can be chosen again, however old it is. */
function withChosen(
  snapshots: readonly PublishedSnapshot[],
  { from, to }: SnapshotDiff,
): readonly SnapshotChoice[] {
  const missing = [to, from].filter(
    ({ snapshotId }) => !snapshots.some((known) => known.snapshotId === snapshotId),
  );
  return [...snapshots, ...missing.map((side) => ({ ...side, isLive: false }))];
}

function chooser(tenantId: string, { snapshots, from, to }: Choices, now: Date): Html {
  const options = (chosen: string): readonly Html[] =>
    snapshots.map(({ snapshotId, generatedAt, isLive }) => {
      const age = relativeTime(new Date(generatedAt), now);
      const text = `${exactTime(generatedAt)}, ${age}${isLive ? ", live" : ""}`;
      return snapshotId === chosen
        ? html`<option value="${snapshotId}" selected>${text}</option>`
        : html`<option value="${snapshotId}">${text}</option>`;
    });
  return html`<form class="search pair" action="${diffPath(tenantId)}" method="get">
<div><label for="from">From</label><select id="from" name="from">${options(from)}</select></div>
<div><label for="to">To</label><select id="to" name="to">${options(to)}</select></div>
<button>Compare</button>
</form>`;
}

/** Where a program is shown as it is on one side. */
type Linked = (programId: string) => string;

function named(
  heading: string,
  programs: readonly NamedProgram[],
  linked: Linked,
  more: (programId: string) => Html | false = () => false,
): Html | false {
  if (programs.length === 0) return false;
  const id = heading.toLowerCase();
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>
<ul>${programs.map((program) => html`<li>${title(program, linked)}${more(program.programId)}</li>`)}</ul></section>`;
}

function title({ programId, name }: NamedProgram, linked: Linked): Html {
  return html`<a href="${linked(programId)}"><bdi>${name ?? programId}</bdi></a> <code class="id">${programId}</code>`;
}

function diffTable({ removed, added, changed }: SnapshotDiff): CsvTable {
  const whole = (what: string, programs: readonly NamedProgram[]): readonly (readonly CsvValue[])[] =>
    programs.map(({ programId, name }) => [what, programId, name, null, null, null, null]);
  const fields = changed.flatMap(({ programId, name, changes }): readonly (readonly CsvValue[])[] =>
    (changes ?? []).map((change) => [
      "changed",
      programId,
      name,
      change.words.label,
      change.path,
      change.kind === "added" ? null : csvValue(change.before),
      change.kind === "removed" ? null : csvValue(change.after),
    ]),
  );
  const uncompared = changed.filter(({ changes }) => changes === null);
  const rows = [
    ...whole("removed", removed),
    ...whole("added", added),
    ...fields,
    ...whole("changed", uncompared),
  ];
  return { name: "changes", columns: ["what", "program", "name", "field", "path", "before", "after"], rows };
}
