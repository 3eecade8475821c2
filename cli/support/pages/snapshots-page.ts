import type { LivePeriod } from "../../operate/snapshots/live-periods.ts";
import type { PublishedSnapshot } from "../../operate/snapshots/tenant-snapshots.ts";
import { type Html, html } from "../../output/html.ts";
import { diffPath, home, snapshotPath, snapshotsPath, tenantPath } from "./addresses.ts";
import { asOfForm, asOfNotice, type LiveAt, span } from "./as-of.ts";
import type { CsvTable } from "./csv.ts";
import type { Page } from "./page.ts";
import { badge, dataTable, time } from "./parts.ts";

/** All snapshots of a tenant that partners see or saw. */
export interface SnapshotsView {
  readonly tenantId: string;
  /** Newest first. */
  readonly published: readonly PublishedSnapshot[];
  readonly periods: readonly LivePeriod[];
  readonly pageNumber: number;
  readonly asOf: LiveAt | null;
}

const perPage = 50;

export function snapshotsPage(view: SnapshotsView, now: Date): Page {
  const { tenantId, published, asOf } = view;
  const pages = Math.max(1, Math.ceil(published.length / perPage));
  const page = Math.min(Math.max(1, Math.trunc(view.pageNumber)), pages);
  const shown = published.slice((page - 1) * perPage, page * perPage);
  const place = pages > 1 ? `, page ${page} of ${pages}` : "";
  const main = html`<h1>Snapshots of <bdi>${tenantId}</bdi></h1>
${asOfForm(snapshotsPath(tenantId), asOf?.at ?? null, now)}
${asOf !== null && asOfNotice(tenantId, asOf, now)}
<p class="lead" role="status">${published.length.toLocaleString("en")} kept${place}.</p>
${dataTable(
  "Snapshots that partners see or saw, newest first",
  [
    { title: "Snapshot", isHeading: true },
    { title: "Data of" },
    { title: "Seen by partners" },
    { title: "Programs", isNumber: true },
    { title: "Changes" },
  ],
  shown.map((snapshot) => row(view, snapshot, now)),
)}
${
  pages > 1 &&
  html`<nav class="pager" aria-label="Pages"><ul>
${page > 1 && html`<li><a href="${snapshotsPath(tenantId, page - 1)}">← Newer</a></li>`}
${page < pages && html`<li><a href="${snapshotsPath(tenantId, page + 1)}">Older →</a></li>`}
</ul></nav>`
}`;
  const trail = [
    { text: "Tenants", path: home },
    { text: tenantId, path: tenantPath(tenantId) },
  ];
  return { status: 200, title: "Snapshots", trail, main, tables: [snapshotsTable(view)] };
}

function row({ tenantId, periods }: SnapshotsView, snapshot: PublishedSnapshot, now: Date): readonly Html[] {
  const { snapshotId, isLive, generatedAt, programs, parent, withdrawnAt } = snapshot;
  const seen = periods.filter((period) => period.snapshotId === snapshotId);
  const spans = seen.map(
    (period) => html`<span class="line">${!period.isCertain && "perhaps "}${span(period)}</span>`,
  );
  return [
    html`<a class="row-link" href="${snapshotPath(tenantId, snapshotId)}"><code>${snapshotId}</code></a> ${isLive ? badge("live", "good") : withdrawnAt !== null && badge("withdrawn", "doubtful")}`,
    time(generatedAt, now),
    html`${spans.length === 0 ? "not known" : spans}`,
    html`${programs.toLocaleString("en")}`,
    parent === null
      ? html`the first`
      : html`<a class="whole" href="${diffPath(tenantId, undefined, snapshotId)}">Changes<span class="hidden"> that snapshot ${snapshotId} brought</span></a>`,
  ];
}

function snapshotsTable({ published, periods }: SnapshotsView): CsvTable {
  const seen = (id: string): readonly LivePeriod[] => periods.filter(({ snapshotId }) => snapshotId === id);
  const rows = published.map(({ snapshotId, generation, generatedAt, programs, isLive, withdrawnAt }) => [
    snapshotId,
    generation,
    generatedAt,
    programs,
    isLive,
    withdrawnAt?.toISOString() ?? null,
    seen(snapshotId)
      .map(({ from, until }) => `${from}/${until ?? ""}`)
      .join(" "),
  ]);
  const columns = ["snapshot", "generation", "data of", "programs", "live", "withdrawn", "seen by partners"];
  return { name: "snapshots", columns, rows };
}
