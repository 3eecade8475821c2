import { parseSnapshotId, parseTenantId, type SnapshotId } from "../../../core/ids.ts";
import { readLivePeriods } from "../../operate/snapshots/live-periods.ts";
import {
  compareSnapshots,
  type NamedProgram,
  type SnapshotDiff,
  snapshotBefore,
} from "../../operate/snapshots/snapshot-diff.ts";
import type { PublishedSnapshot } from "../../operate/snapshots/tenant-snapshots.ts";
import { type Html, html } from "../../output/html.ts";
import { exactTime, type Reader, relativeTime } from "../../output/times.ts";
import { chosenSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { diffPath, explainPath, snapshotProgramPath } from "./addresses.ts";
import { changeCells, changeColumns, changeTable } from "./change-rows.ts";
import type { CsvTable, CsvValue } from "./csv.ts";
import { tenantTrail } from "./page.ts";
import { selectField } from "./parts.ts";
import { route } from "./route.ts";

export const diffRoute = route("/tenants/:tenant/diff", async ({ tenant, query }, inspection) => {
  const { store, reader, signal } = inspection;
  const tenantId = parseTenantId(tenant);
  const wanted = { from: chosen(query.get("from")), to: chosen(query.get("to")) };
  const { manifest: to, live } = await chosenSnapshot(store, tenantId, wanted.to, signal);
  const { published } = await readLivePeriods(store, live.pointer, signal);
  const from =
    wanted.from === undefined
      ? await snapshotBefore(store, to, live, signal)
      : (await chosenSnapshot(store, tenantId, wanted.from, signal)).manifest;
  const diff = await compareSnapshots(store, from, to, maxDetails, signal);
  const main = html`<h1>Changes between two snapshots</h1>
${chooser(tenantId, newest(published), diff, reader())}
${differences(tenantId, diff)}`;
  return { status: 200, title: "Changes", trail: tenantTrail(tenantId), main, tables: [diffTable(diff)] };
});

/** The snapshot that the address names; `undefined` for the default: the one before, or the live one. */
function chosen(text: string | null): SnapshotId | undefined {
  return text === null || text === "" ? undefined : parseSnapshotId(text);
}

/** At most this many programs are compared field by field, since a person reads the page. */
const maxDetails = 50;

/** The newest snapshots of a tenant, as many as a page shows. `published` has the newest first. */
export function newest(published: readonly PublishedSnapshot[]): readonly PublishedSnapshot[] {
  return published.slice(0, maxSnapshots);
}

const maxSnapshots = 20;

function differences(tenantId: string, diff: SnapshotDiff): Html {
  const { from, to, added, removed, changed, unchanged, listChanged, legacyChanged } = diff;
  const total = added.length + removed.length + changed.length;
  const isSame = total === 0 && !listChanged && !legacyChanged;
  const after: Linked = (programId) => snapshotProgramPath(tenantId, to.snapshotId, programId);
  const before: Linked = (programId) => snapshotProgramPath(tenantId, from.snapshotId, programId);
  return html`<p class="lead">${isSame ? "Partners get the same bytes from both." : `${removed.length} removed, ${added.length} added, ${changed.length} changed, ${unchanged} the same.`}</p>
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
}

type SnapshotChoice = Pick<PublishedSnapshot, "snapshotId" | "generatedAt" | "isLive">;

/** The form for choosing two snapshots. It also offers the two compared ones, however old they are. */
function chooser(
  tenantId: string,
  snapshots: readonly SnapshotChoice[],
  { from, to }: SnapshotDiff,
  reader: Reader,
): Html {
  const missing = [to, from].filter(
    ({ snapshotId }) => !snapshots.some((known) => known.snapshotId === snapshotId),
  );
  const all = [...snapshots, ...missing.map((side) => ({ ...side, isLive: false }))];
  const options = all.map(({ snapshotId, generatedAt, isLive }) => {
    const age = relativeTime(new Date(generatedAt), reader.now);
    return [snapshotId, `${exactTime(generatedAt)}, ${age}${isLive ? ", live" : ""}`] as const;
  });
  return html`<form class="search pair" action="${diffPath(tenantId)}" method="get">
${selectField("from", "from", "From", options, from.snapshotId)}
${selectField("to", "to", "To", options, to.snapshotId)}
<button>Compare</button>
</form>`;
}

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
    (changes ?? []).map((change) => ["changed", programId, name, ...changeCells(change)]),
  );
  const uncompared = changed.filter(({ changes }) => changes === null);
  const rows = [
    ...whole("removed", removed),
    ...whole("added", added),
    ...fields,
    ...whole("changed", uncompared),
  ];
  return { name: "changes", columns: ["what", "program", "name", ...changeColumns], rows };
}
