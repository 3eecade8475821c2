import { parseSnapshotId, parseTenantId } from "../../../core/ids.ts";
import { type LivePeriod, periodAt, readLivePeriods } from "../../operate/snapshots/live-periods.ts";
import type { PublishedSnapshot } from "../../operate/snapshots/tenant-snapshots.ts";
import { numberText } from "../../output/counted.ts";
import { type Html, type HtmlValue, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { readPublishedPointer } from "../../publish/snapshot/live-snapshot.ts";
import { chosenSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { storedPrograms } from "../facts/program-in-store.ts";
import { removedAtOf } from "../facts/registry.ts";
import { diffPath, snapshotPath, snapshotProgramPath, snapshotsPath } from "./addresses.ts";
import { asOfForm, asOfNotice, chosenTime, seenUntil, span } from "./as-of.ts";
import { type CsvTable, csvTable } from "./csv.ts";
import { tenantTrail } from "./page.ts";
import { badge, dataTable, factList, heading, numeric, pager, time } from "./parts.ts";
import { programsSection, programsTable, searchPrograms } from "./programs-section.ts";
import { pageOf, route } from "./route.ts";

export const snapshotsRoute = route("/tenants/:tenant/snapshots", async ({ tenant, query }, inspection) => {
  const { store, reader, signal } = inspection;
  const tenantId = parseTenantId(tenant);
  const at = chosenTime(query.get("at"));
  const pointer = await readPublishedPointer(store, tenantId, signal);
  const history = await readLivePeriods(store, pointer, signal);
  const removedAt = await removedAtOf(store, tenantId, signal);
  const asOf = at && { at, found: periodAt(history.periods, at), removedAt };
  const { published } = history;
  const periods = history.periods.map((period) => seenUntil(period, removedAt));
  const { rows, page, pages, place } = pageOf(published, query);
  const asked = reader();
  const main = html`<h1>Snapshots of <bdi>${tenantId}</bdi></h1>
${asOfForm(snapshotsPath(tenantId), at, asked)}
${asOf !== null && asOfNotice(tenantId, asOf, asked)}
<p class="lead" role="status">${numberText(published.length)} kept${place}.</p>
${snapshotTable(tenantId, rows, asked, ({ snapshotId }) => spansOf(periods, snapshotId))}
${pager(
  "Pages",
  page > 1 && ["← Newer", snapshotsPath(tenantId, page - 1)],
  page < pages && ["Older →", snapshotsPath(tenantId, page + 1)],
)}`;
  const tables = [snapshotsTable(published, periods)];
  return { status: 200, title: "Snapshots", trail: tenantTrail(tenantId), main, tables };
});

function spansOf(periods: readonly LivePeriod[], snapshotId: string): HtmlValue {
  const spans = periods
    .filter((period) => period.snapshotId === snapshotId)
    .map((period) => html`<span class="line">${span(period)}</span>`);
  return spans.length === 0 ? "not known" : spans;
}

/** A table of snapshots. With `seen`, it has a column for the times in which partners saw them. */
export function snapshotTable(
  tenantId: string,
  snapshots: readonly PublishedSnapshot[],
  reader: Reader,
  seen?: (snapshot: PublishedSnapshot) => HtmlValue,
): Html {
  return dataTable("Snapshots that partners see or saw, newest first", snapshots, {
    Snapshot: heading(
      ({ snapshotId, isLive, withdrawnAt }) =>
        html`<a class="row-link" href="${snapshotPath(tenantId, snapshotId)}"><code>${snapshotId}</code></a> ${isLive ? badge("live", "good") : withdrawnAt !== null && badge("withdrawn", "doubtful")}`,
    ),
    "Data of": ({ contentAt }) => time(contentAt, reader),
    ...(seen && { "Seen by partners": seen }),
    Programs: numeric(({ programs }) => numberText(programs)),
    Changes: ({ snapshotId, parent }) =>
      parent === null
        ? "the first"
        : html`<a class="whole" href="${diffPath(tenantId, undefined, snapshotId)}">Changes<span class="hidden"> that snapshot ${snapshotId} brought</span></a>`,
  });
}

function snapshotsTable(published: readonly PublishedSnapshot[], periods: readonly LivePeriod[]): CsvTable {
  const seen = (id: string): readonly LivePeriod[] => periods.filter(({ snapshotId }) => snapshotId === id);
  return csvTable("snapshots", published, {
    snapshot: ({ snapshotId }) => snapshotId,
    generation: ({ generation }) => generation,
    "data of": ({ generatedAt }) => generatedAt,
    programs: ({ programs }) => programs,
    live: ({ isLive }) => isLive,
    withdrawn: ({ withdrawnAt }) => withdrawnAt?.toISOString() ?? null,
    "seen by partners": ({ snapshotId }) =>
      seen(snapshotId)
        .map(({ from, until }) => `${from}/${until ?? ""}`)
        .join(" "),
  });
}

/** P76: the content of one snapshot, live or not, as long as it is kept. */
export const snapshotRoute = route(
  "/tenants/:tenant/snapshots/:snapshot",
  async ({ tenant, snapshot, query }, { store, reader, signal }) => {
    const [tenantId, snapshotId] = [parseTenantId(tenant), parseSnapshotId(snapshot)];
    const { manifest, isLive } = await chosenSnapshot(store, tenantId, snapshotId, signal);
    const found = searchPrograms(await storedPrograms(store, manifest, signal), query);
    const { generatedAt, generation, parent, programs } = manifest;
    const path = snapshotPath(tenantId, snapshotId);
    const main = html`<h1>Snapshot <code>${snapshotId}</code></h1>
<p class="lead">${isLive ? badge("live", "good") : badge("not live", "neutral")}</p>
${factList([
  ["Data of", time(generatedAt, reader())],
  ["Programs", numberText(programs.count)],
  ["Generation", String(generation)],
  [
    "Before it was live",
    parent === null
      ? "nothing"
      : html`<a href="${snapshotPath(tenantId, parent)}"><code>${parent}</code></a>`,
  ],
  [
    "Changes",
    parent !== null && html`<a href="${diffPath(tenantId, parent, snapshotId)}">What it brought</a>`,
  ],
])}
${programsSection({ found, path, programPath: (id) => snapshotProgramPath(tenantId, snapshotId, id) })}`;
    const trail = tenantTrail(tenantId, { text: "Snapshots", path: snapshotsPath(tenantId) });
    return { status: 200, title: `Snapshot ${snapshotId}`, trail, main, tables: [programsTable(found)] };
  },
);
