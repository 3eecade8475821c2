import { type ProgramId, parseProgramId, parseTenantId, type TenantId } from "../../../core/ids.ts";
import { type LivePeriod, periodAt, readLivePeriods } from "../../operate/snapshots/live-periods.ts";
import {
  type ProgramTimeline,
  programTimeline,
  type TimelineEntry,
} from "../../operate/snapshots/program-timeline.ts";
import { counted } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import { exactTime, type Reader } from "../../output/times.ts";
import { readPublishedPointer } from "../../publish/snapshot/live-snapshot.ts";
import { readStoredManifest } from "../../publish/snapshot/stored-snapshot.ts";
import { removedAtOf } from "../facts/registry.ts";
import { programPath, snapshotPath, snapshotProgramPath, timelinePath } from "./addresses.ts";
import { asOfForm, asOfNotice, chosenTime, seenUntil } from "./as-of.ts";
import { changeCells, changeColumns, changeTable } from "./change-rows.ts";
import type { CsvTable, CsvValue } from "./csv.ts";
import { tenantTrail } from "./page.ts";
import { badge, notice, pager, time } from "./parts.ts";
import { programLinks } from "./program-links.ts";
import { type Inspection, route } from "./route.ts";

export const timelineRoute = route(
  "/tenants/:tenant/programs/:program/timeline",
  async ({ tenant, program, query }, inspection) => {
    const { store, signal } = inspection;
    const shown = { tenantId: parseTenantId(tenant), programId: parseProgramId(program) };
    const { tenantId, programId } = shown;
    // The number of the oldest periods to show; without a number, all are shown.
    const wanted = Number(query.get("older")) || undefined;
    const at = chosenTime(query.get("at"));
    const reader = inspection.reader();
    const pointer = await readPublishedPointer(store, tenantId, signal);
    const { published, periods: all } = await readLivePeriods(store, pointer, signal);
    const rest = wanted === undefined ? all : all.slice(Math.max(0, all.length - wanted));
    const timeline = await programTimeline(store, shown, rest, bounds, signal);
    const removedAt = await removedAtOf(store, tenantId, signal);
    const isWhole = published.at(-1)?.parent === null;
    const isOlder = rest.length < all.length;
    const { entries, periods, older } = timeline;
    const path = timelinePath(tenantId, programId);
    const main = html`<h1>Timeline of <bdi>${programId}</bdi></h1>
<p class="lead">Every change that partners saw, as far as snapshots are kept.</p>
${programLinks(tenantId, programId, "timeline")}
${asOfForm(path, at, reader)}
${at !== null && (await noticeAt(at, shown, all, removedAt, inspection))}
<section aria-labelledby="changes"><h2 id="changes">Changes, newest first</h2>
<p class="lead" role="status">${counted(entries.length, "change").replace(/^0/, "No")} in ${counted(new Set(periods.map(({ snapshotId }) => snapshotId)).size, "snapshot")} ${periodsSpan(periods, removedAt)}.</p>
${removedAt !== null && notice("doubtful", html`<p>Since ${time(removedAt, reader)} they get 401 (unauthorized): tenant ${tenantId} was removed.</p>`)}
<ol class="timeline" reversed>${entries.map((entry) => timelineEntry(shown, isWhole, entry, reader))}</ol>
${pager(
  "More of the timeline",
  isOlder && ["← Newest", path],
  older > 0 && ["Older →", timelinePath(tenantId, programId, older)],
)}</section>`;
    const trail = tenantTrail(tenantId, { text: programId, path: programPath(tenantId, programId) });
    return { status: 200, title: "Timeline", trail, main, tables: [timelineTable(timeline)] };
  },
);

/** A person reads the page, so few entries are enough. Each manifest names all programs of its tenant, so few are read. */
const bounds = { maxManifests: 40, maxEntries: 20 };

interface ShownProgram {
  readonly tenantId: TenantId;
  readonly programId: ProgramId;
}

/** A notice about the snapshot that was live at the chosen time, and whether it had the program. */
async function noticeAt(
  at: Date,
  { tenantId, programId }: ShownProgram,
  periods: readonly LivePeriod[],
  removedAt: string | null,
  { store, reader, signal }: Inspection,
): Promise<Html> {
  const found = periodAt(periods, at);
  const having = new Set<string>();
  if (found !== undefined) {
    const stored = await readStoredManifest(store, tenantId, found.snapshotId, signal);
    if (stored?.manifest.programs.has(programId)) having.add(found.snapshotId);
  }
  return asOfNotice(tenantId, { at, found, removedAt }, reader(), ({ snapshotId }) =>
    having.has(snapshotId)
      ? html`<a href="${snapshotProgramPath(tenantId, snapshotId, programId)}">The program as it was</a>.`
      : html`This program was not in it: partners got 404.`,
  );
}

function timelineEntry(
  { tenantId, programId }: ShownProgram,
  isWhole: boolean,
  { period, before, what }: TimelineEntry,
  reader: Reader,
): Html {
  const isKept = what.kind !== "removed" && what.kind !== "unreadable";
  const hadBefore = before !== null && (what.kind === "removed" || what.kind === "changed");
  return html`<li><h3>${badge(...mark(what, isWhole))} ${time(period.from, reader)}</h3>
<p>${how(period)} <a href="${snapshotPath(tenantId, period.snapshotId)}"><code>${period.snapshotId}</code></a>.
${isKept && html`<a href="${snapshotProgramPath(tenantId, period.snapshotId, programId)}">As it was from then on</a>.`}
${hadBefore && html`<a href="${snapshotProgramPath(tenantId, before.snapshotId, programId)}">As it was before</a>.`}</p>
${what.kind === "unreadable" && notice("doubtful", html`<p>Whether it changed is not known. ${what.reason}</p>`)}
${what.kind === "changed" && (what.changes.length === 0 ? html`<p>No field changed; its bytes did.</p>` : changeTable(`Changes of ${exactTime(period.from)}`, what.changes))}</li>`;
}

function mark(what: TimelineEntry["what"], isWhole: boolean): Parameters<typeof badge> {
  switch (what.kind) {
    case "added":
      return ["appeared", "good"];
    case "removed":
      return ["gone", "bad"];
    case "changed":
      return ["changed", "neutral"];
    case "oldest":
      return isWhole ? ["appeared", "good"] : ["already there", "neutral"];
    case "unreadable":
      return ["not known", "doubtful"];
  }
}

function how({ how: reason }: LivePeriod): string {
  if (reason === "published") return "A build published snapshot";
  return "A rollback went to snapshot";
}

function periodsSpan(periods: readonly LivePeriod[], removedAt: string | null): Html | false {
  const [newest, oldest] = [periods[0], periods.at(-1)];
  if (newest === undefined || oldest === undefined) return false;
  const { until } = seenUntil(newest, removedAt);
  const end = until === null ? "now" : exactTime(until);
  return html`from <span class="whole">${exactTime(oldest.from)}</span> until <span class="whole">${end}</span>`;
}

function timelineTable({ entries }: ProgramTimeline): CsvTable {
  const rows = entries.flatMap(({ period, what }): readonly (readonly CsvValue[])[] => {
    const { from, snapshotId, how: reason } = period;
    const start = [from, snapshotId, reason, what.kind];
    if (what.kind !== "changed") return [[...start, null, null, null, null]];
    return what.changes.map((change) => [...start, ...changeCells(change)]);
  });
  const columns = ["time", "snapshot", "how", "what", ...changeColumns];
  return { name: "timeline", columns, rows };
}
