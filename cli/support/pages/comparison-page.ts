import { type Html, html } from "../../output/html.ts";
import { fieldLabel } from "../../publish/public-program/field-words.ts";
import { valueWords } from "../../publish/public-program/value-words.ts";
import type { GatewayAnswer } from "../ask-gateway.ts";
import type { ProgramInSource } from "../explain/program-in-source.ts";
import type { TakenPlaces } from "../taken-places.ts";
import { explainPath, home, programPath, snapshotProgramPath, tenantPath } from "./addresses.ts";
import { type ComparedField, comparedFields } from "./compared-fields.ts";
import { type CsvTable, type CsvValue, csvValue } from "./csv.ts";
import type { Page } from "./page.ts";
import { badge, dataTable, factList, notice, time } from "./parts.ts";
import { programLinks } from "./program-links.ts";
import { takenPlacesSection, takenPlacesTable } from "./taken-places-section.ts";

/** One program where it comes from, where it is kept and where it is served. */
export interface ComparisonView {
  readonly tenantId: string;
  readonly programId: string;
  readonly source: ProgramInSource;
  /** `document` is `null` when the live snapshot does not have it. */
  readonly live: {
    readonly snapshotId: string;
    readonly generatedAt: string;
    readonly document: unknown;
    readonly sha256: string | null;
  };
  readonly gateway: GatewayAnswer;
  readonly places: TakenPlaces;
}

export function comparisonPage(view: ComparisonView, now: Date): Page {
  const { tenantId, programId, source, live, gateway, places } = view;
  const fields = comparedFields([
    sourceDocument(source),
    live.document ?? undefined,
    gatewayDocument(gateway),
  ]);
  const differing = fields.filter(({ isSame }) => !isSame);
  const same = fields.filter(({ isSame }) => isSame);
  const main = html`<h1><bdi>${programId}</bdi>, side by side</h1>
<p class="lead">What the booking database would give now, what the live snapshot has, and what the gateway answers.</p>
${programLinks(tenantId, programId, "comparison")}
${factList(
  [
    ["Booking system", sourceState(view)],
    ["Live snapshot", liveState(view, now)],
    ["Gateway", gatewayState(view)],
  ],
  "steps",
)}
<section aria-labelledby="fields"><h2 id="fields">Fields that differ</h2>
${differing.length === 0 ? html`<p role="status">${same.length === 0 ? "There is nothing to compare." : "None of what could be asked."}</p>` : fieldTable("Fields that differ", differing)}
${same.length > 0 && html`<details><summary>${same.length} fields that are the same</summary>${fieldTable("Fields that are the same", same)}</details>`}</section>
${takenPlacesSection(places)}`;
  const trail = [
    { text: "Tenants", path: home },
    { text: tenantId, path: tenantPath(tenantId) },
    { text: programId, path: programPath(tenantId, programId) },
  ];
  const tables = [comparisonTable(fields), ...takenPlacesTable(places)];
  return { status: 200, title: "Side by side", trail, main, tables };
}

function sourceDocument(source: ProgramInSource): unknown {
  return source.kind === "publishable" ? source.document : undefined;
}

function gatewayDocument(gateway: GatewayAnswer): unknown {
  if (gateway.kind !== "answered" || gateway.status !== 200) return undefined;
  const { document } = gateway;
  return typeof document === "object" && document !== null && "data" in document ? document.data : undefined;
}

function sourceState({ tenantId, programId, source, live }: ComparisonView): Html {
  const why = html`<a href="${explainPath(tenantId, programId)}">Why?</a>`;
  switch (source.kind) {
    case "publishable":
      return live.sha256 === null
        ? html`${badge("has it", "doubtful")} ${why}`
        : live.sha256 === source.sha256
          ? html`${badge("as in the snapshot", "good")}`
          : html`${badge("differs from the snapshot", "doubtful")} ${why}`;
    case "unavailable":
      return html`${badge("not asked", "neutral")} ${source.reason}`;
    case "absent":
      return html`${badge("has no such program", "bad")} ${why}`;
    case "tenant_unknown":
      return html`${badge("does not list the tenant", "bad")} ${why}`;
    case "not_publishable":
      return html`${badge("not to be published", "bad")} its state is “${source.state}”. ${why}`;
    case "invalid":
      return html`${badge("faulty", "bad")} ${why}`;
  }
}

function liveState({ tenantId, programId, live }: ComparisonView, now: Date): Html {
  const { snapshotId, generatedAt, sha256 } = live;
  return sha256 === null
    ? html`${badge("without this program", "bad")} <code>${snapshotId}</code>, data of ${time(generatedAt, now)}`
    : html`<a href="${snapshotProgramPath(tenantId, snapshotId, programId)}"><code>${snapshotId}</code></a>, data of ${time(generatedAt, now)}`;
}

function gatewayState({ gateway, live }: ComparisonView): Html {
  switch (gateway.kind) {
    case "not_asked":
      return html`${badge("not asked", "neutral")} ${gateway.reason}`;
    case "failed":
      return html`${badge("no answer", "bad")} ${gateway.reason}; request <code>${gateway.requestId}</code>`;
    case "answered": {
      const isSame = gateway.status === 200 && gateway.sha256 === live.sha256;
      const isExpected = isSame || (gateway.status === 404 && live.sha256 === null);
      const of = gateway.snapshotId === null ? "" : ` from snapshot ${gateway.snapshotId}`;
      const what = isSame ? ", byte for byte what the snapshot has" : "";
      const isOther = gateway.snapshotId !== null && gateway.snapshotId !== live.snapshotId;
      return html`${badge(String(gateway.status), isExpected ? "good" : "bad")}${of}${what}; request <code>${gateway.requestId}</code>${isOther && notice("doubtful", html`<p>The gateway still has another snapshot. It follows within seconds; after a minute that is a fault of the gateway or of its way to the store.</p>`)}`;
    }
  }
}

const columns = [
  { title: "Field", isHeading: true },
  { title: "Database would give" },
  { title: "Live snapshot" },
  { title: "Gateway answers" },
];

function fieldTable(caption: string, fields: readonly ComparedField[]): Html {
  const rows = fields.map(({ path, values: [source, live, gateway] }) => [
    fieldLabel(path),
    value(path, source, live),
    value(path, live, live),
    value(path, gateway, live),
  ]);
  return html`<div class="changes">${dataTable(caption, columns, rows)}</div>`;
}

/** Marked where it is not what the live snapshot has, which the other two are held against. */
function value(path: string, of: unknown, live: unknown): Html {
  if (of === undefined) return html`<span class="none">–</span>`;
  const words = valueWords(path, of, null);
  return JSON.stringify(of) === JSON.stringify(live) ? html`${words}` : html`<mark>${words}</mark>`;
}

function comparisonTable(fields: readonly ComparedField[]): CsvTable {
  const rows = fields.map(({ path, values, isSame }): readonly CsvValue[] => [
    fieldLabel(path),
    path,
    ...values.map(csvValue),
    isSame,
  ]);
  return { name: "fields", columns: ["field", "path", "database", "snapshot", "gateway", "same"], rows };
}
