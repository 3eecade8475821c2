import type { Manifest } from "../../../core/manifest.ts";
import { html } from "../../output/html.ts";
import { diffPath, home, snapshotPath, snapshotProgramPath, snapshotsPath, tenantPath } from "./addresses.ts";
import type { Page } from "./page.ts";
import { badge, factList, time } from "./parts.ts";
import type { FoundPrograms } from "./program-search.ts";
import { programsSection, programsTable } from "./programs-section.ts";

/** One snapshot, live or not. */
export interface SnapshotView {
  readonly manifest: Manifest;
  readonly isLive: boolean;
  readonly query: string;
  readonly found: FoundPrograms;
}

/** P76: what is in the snapshot, for as long as it is kept. */
export function snapshotPage({ manifest, isLive, query, found }: SnapshotView, now: Date): Page {
  const { tenantId, snapshotId, generatedAt, generation, parent, programs } = manifest;
  const path = snapshotPath(tenantId, snapshotId);
  const main = html`<h1>Snapshot <code>${snapshotId}</code></h1>
<p class="lead">${isLive ? badge("live", "good") : badge("not live", "neutral")}</p>
${factList([
  ["Data of", time(generatedAt, now)],
  ["Programs", programs.count.toLocaleString("en")],
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
${programsSection({ query, found, path, programPath: (id) => snapshotProgramPath(tenantId, snapshotId, id) })}`;
  const trail = [
    { text: "Tenants", path: home },
    { text: tenantId, path: tenantPath(tenantId) },
    { text: "Snapshots", path: snapshotsPath(tenantId) },
  ];
  return { status: 200, title: `Snapshot ${snapshotId}`, trail, main, tables: [programsTable(found)] };
}
