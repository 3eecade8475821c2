import { parseSnapshotId, parseTenantId, type SnapshotId, type TenantId } from "../../../core/ids.ts";
import type { LivePeriod } from "../../operate/snapshots/live-periods.ts";
import { readLivePeriods } from "../../operate/snapshots/read-live-periods.ts";
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
import { diffPath, explainPath, home, snapshotProgramPath, tenantPath } from "./addresses.ts";
import { changeTable } from "./change-rows.ts";
import { type CsvTable, type CsvValue, csvValue } from "./csv.ts";
import type { Page } from "./page.ts";
import type { Inspection } from "./route.ts";
import { route } from "./route.ts";

/** The difference between two snapshots of a tenant. */
export interface DiffView {
  readonly tenantId: string;
  /** To choose from, newest first. */
  readonly snapshots: readonly PublishedSnapshot[];
  readonly diff: SnapshotDiff;
  /** Programs whose fields were compared. */
  readonly maxDetails: number;
}

function diffPage({ tenantId, snapshots, diff, maxDetails }: DiffView, reader: Reader): Page {
  const { from, to, added, removed, changed, unchanged, listChanged, legacyChanged } = diff;
  const isSame = added.length + removed.length + changed.length === 0 && !listChanged && !legacyChanged;
  const choices = { snapshots: withChosen(snapshots, diff), from: from.snapshotId, to: to.snapshotId };
  const after: Linked = (programId) => snapshotProgramPath(tenantId, to.snapshotId, programId);
  const before: Linked = (programId) => snapshotProgramPath(tenantId, from.snapshotId, programId);
  const total = added.length + removed.length + changed.length;
  const main = html`<h1>Changes between two snapshots</h1>
${chooser(tenantId, choices, reader)}
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

function chooser(tenantId: string, { snapshots, from, to }: Choices, reader: Reader): Html {
  const options = (chosen: string): readonly Html[] =>
    snapshots.map(({ snapshotId, generatedAt, isLive }) => {
      const age = relativeTime(new Date(generatedAt), reader.now);
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

interface Input {
  readonly tenantId: TenantId;
  /** Without one: the snapshot before. */
  readonly from: SnapshotId | undefined;
  /** Without one: what is live. */
  readonly to: SnapshotId | undefined;
}

export const diffRoute = route({
  pattern: "/tenants/:tenant/diff",
  parse: ({ tenant }, query): Input => ({
    tenantId: parseTenantId(tenant),
    from: chosen(query.get("from")),
    to: chosen(query.get("to")),
  }),
  page,
});

function chosen(text: string | null): SnapshotId | undefined {
  return text === null || text === "" ? undefined : parseSnapshotId(text);
}

async function page(input: Input, { store, reader, signal }: Inspection): Promise<Page> {
  const { tenantId } = input;
  const { manifest: to, live } = await chosenSnapshot(store, tenantId, input.to, signal);
  const { published, periods } = await readLivePeriods(store, live.pointer, signal);
  const asked = input.from ?? (input.to === undefined ? rolledBackFrom(periods) : undefined);
  const from =
    asked === undefined
      ? await snapshotBefore(store, to, live, signal)
      : (await chosenSnapshot(store, tenantId, asked, signal)).manifest;
  const diff = await compareSnapshots(store, from, to, maxDetails, signal);
  return diffPage({ tenantId, snapshots: newest(published), diff, maxDetails }, reader());
}

/** What a rollback took from partners: then the snapshot before in the line of builds says nothing, if there is one at all. */
function rolledBackFrom([live, before]: readonly LivePeriod[]): SnapshotId | undefined {
  return live?.how === "rolled back to" ? before?.snapshotId : undefined;
}

/** A page is read by a person. */
const maxDetails = 50;

/** The snapshots that a page shows of a tenant's, which come newest first: a page is read by a person. */
export function newest(published: readonly PublishedSnapshot[]): readonly PublishedSnapshot[] {
  return published.slice(0, maxSnapshots);
}

const maxSnapshots = 20;
