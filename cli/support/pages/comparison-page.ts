import { type ProgramId, parseProgramId, parseTenantId, type TenantId } from "../../../core/ids.ts";
import { detailEntry } from "../../../core/manifest.ts";
import { numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { fieldLabel } from "../../publish/public-program/field-words.ts";
import { valueWords } from "../../publish/public-program/value-words.ts";
import { dataOf, responseBytes } from "../../publish/snapshot/stored-response.ts";
import { chosenSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { askGateway, type GatewayAnswer } from "../facts/ask-gateway.ts";
import { readProgramInSource } from "../facts/program-in-source.ts";
import { type TakenPlaces, takenPlaces } from "../facts/source-questions.ts";
import { explainPath, programPath, snapshotProgramPath } from "./addresses.ts";
import { type CsvTable, csvTable, csvValue } from "./csv.ts";
import { type Page, tenantTrail } from "./page.ts";
import { badge, dataTable, factList, heading, notice, numeric, time } from "./parts.ts";
import { programLinks } from "./program-links.ts";
import { type Inspection, route } from "./route.ts";

export const comparisonRoute = route(
  "/tenants/:tenant/programs/:program/compare",
  async ({ tenant, program }, inspection) => {
    const view = await compared(parseTenantId(tenant), parseProgramId(program), inspection);
    return comparisonPage(view, inspection.reader());
  },
);

/** One program in the booking database, in the live snapshot and as the gateway serves it. */
async function compared(
  tenantId: TenantId,
  programId: ProgramId,
  { store, database, gateway, reader, signal }: Inspection,
) {
  const { manifest } = await chosenSnapshot(store, tenantId, undefined, signal);
  const entry = detailEntry(manifest, programId);
  const bytes = entry && (await responseBytes(store, entry, signal));
  const [source, places, answer] = await Promise.all([
    readProgramInSource(database, tenantId, programId, reader().now, signal),
    takenPlaces(database, tenantId, programId, signal),
    askGateway(gateway, { tenantId, programId }, { store, now: reader().now, signal }),
  ]);
  const live = {
    snapshotId: manifest.snapshotId,
    dataOf: manifest.contentAt ?? manifest.generatedAt,
    /** `undefined` when the live snapshot does not have the program. */
    document: entry && bytes && dataOf(bytes, entry.key),
    sha256: entry?.sha256 ?? null,
  };
  return { tenantId, programId, source, live, gateway: answer, places };
}

type Compared = Awaited<ReturnType<typeof compared>>;

function comparisonPage(view: Compared, reader: Reader): Page {
  const { tenantId, programId, source, live, gateway, places } = view;
  const { differing, same } = comparedFields([
    source.kind === "publishable" ? source.document : undefined,
    live.document,
    gatewayDocument(gateway),
  ]);
  const main = html`<h1><bdi>${programId}</bdi>, side by side</h1>
<p class="lead">What the booking database would give now, what the live snapshot has, and what the gateway answers.</p>
${programLinks(tenantId, programId, "comparison")}
${factList(
  [
    ["Booking system", sourceState(view)],
    ["Live snapshot", liveState(view, reader)],
    ["Gateway", gatewayState(view)],
  ],
  "steps",
)}
<section aria-labelledby="fields"><h2 id="fields">Fields that differ</h2>
${differing.length === 0 ? html`<p role="status">${same.length === 0 ? "There is nothing to compare." : "None of what could be asked."}</p>` : fieldTable("Fields that differ", differing)}
${same.length > 0 && html`<details><summary>${same.length} fields that are the same</summary>${fieldTable("Fields that are the same", same)}</details>`}</section>
${takenPlacesSection(places)}`;
  const trail = tenantTrail(tenantId, { text: programId, path: programPath(tenantId, programId) });
  const tables = [comparisonTable([...differing, ...same]), ...takenPlacesTable(places)];
  return { status: 200, title: "Side by side", trail, main, tables };
}

function gatewayDocument(gateway: GatewayAnswer): unknown {
  if (gateway.kind !== "answered" || gateway.status !== 200) return undefined;
  const { document } = gateway;
  return typeof document === "object" && document !== null && "data" in document ? document.data : undefined;
}

function sourceState({ tenantId, programId, source, live }: Compared): Html {
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

function liveState({ tenantId, programId, live }: Compared, reader: Reader): Html {
  const { snapshotId, dataOf: dataTime, sha256 } = live;
  return sha256 === null
    ? html`${badge("without this program", "bad")} <code>${snapshotId}</code>, data of ${time(dataTime, reader)}`
    : html`<a href="${snapshotProgramPath(tenantId, snapshotId, programId)}"><code>${snapshotId}</code></a>, data of ${time(dataTime, reader)}`;
}

function gatewayState({ gateway, live }: Compared): Html {
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

function fieldTable(caption: string, fields: readonly ComparedField[]): Html {
  const table = dataTable(caption, fields, {
    Field: heading(({ path }) => fieldLabel(path)),
    "Database would give": ({ path, values: [source, live] }) => value(path, source, live),
    "Live snapshot": ({ path, values: [, live] }) => value(path, live, live),
    "Gateway answers": ({ path, values: [, live, gateway] }) => value(path, gateway, live),
  });
  return html`<div class="changes">${table}</div>`;
}

/** A value in words. It is marked when it differs from the live snapshot's. */
function value(path: string, of: unknown, live: unknown): Html {
  if (of === undefined) return html`<span class="none">–</span>`;
  const words = valueWords(path, of, null);
  return JSON.stringify(of) === JSON.stringify(live) ? html`${words}` : html`<mark>${words}</mark>`;
}

function comparisonTable(fields: readonly ComparedField[]): CsvTable {
  return csvTable("fields", fields, {
    field: ({ path }) => fieldLabel(path),
    path: ({ path }) => path,
    database: ({ values }) => csvValue(values[0]),
    snapshot: ({ values }) => csvValue(values[1]),
    gateway: ({ values }) => csvValue(values[2]),
    same: ({ isSame }) => isSame,
  });
}

/** A field with its value on each side; `undefined` on a side that does not have the field. */
interface ComparedField {
  readonly path: string;
  readonly values: readonly unknown[];
  readonly isSame: boolean;
}

/**
 * The fields of several documents side by side: those that differ, and those that are the same. A list of plain values is one field. A side that is
 * `undefined` could not be asked, and differs from nothing. Pure.
 */
function comparedFields(documents: readonly unknown[]) {
  const sides = documents.map((document) => (document === undefined ? undefined : leaves(document)));
  const paths = new Set(sides.flatMap((side) => [...(side?.keys() ?? [])]));
  const fields = [...paths].map((path): ComparedField => {
    const values = sides.map((side) => side?.get(path));
    const asked = values.filter((_, at) => sides[at] !== undefined).map((value) => JSON.stringify(value));
    return { path, values, isSame: new Set(asked).size <= 1 };
  });
  return { differing: fields.filter(({ isSame }) => !isSame), same: fields.filter(({ isSame }) => isSame) };
}

function leaves(value: unknown, path = "", found = new Map<string, unknown>()): Map<string, unknown> {
  const parts = isRecord(value)
    ? Object.entries(value).map(([name, part]) => [path === "" ? name : `${path}.${name}`, part] as const)
    : Array.isArray(value) && value.some(isRecord)
      ? value.map((part, at) => [`${path}[${at}]`, part] as const)
      : undefined;
  if (parts === undefined) found.set(path, value);
  else for (const [name, part] of parts) leaves(part, name, found);
  return found;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** P75: the number of enrollments that take places now, by status and role, without any personal data. */
function takenPlacesSection(places: TakenPlaces): Html {
  return html`<section aria-labelledby="places"><h2 id="places">Who takes the places</h2>${takenPlacesContent(places)}</section>`;
}

function takenPlacesTable(places: TakenPlaces): readonly CsvTable[] {
  if (places.kind !== "asked" || places.groups.length === 0) return [];
  const table = csvTable("enrollments", places.groups, {
    status: ({ status }) => status,
    role: ({ role }) => role,
    enrollments: ({ count }) => count,
    "takes places": ({ place }) => words[place],
  });
  return [table];
}

function takenPlacesContent(places: TakenPlaces): Html {
  if (places.kind === "unavailable")
    return html`<p>The booking database could not be asked: ${places.reason}</p>`;
  const { groups, isCut } = places;
  const used = groups.reduce((sum, { count, place }) => sum + (place === "used" ? count : 0), 0);
  if (groups.length === 0)
    return html`<p>The booking database has no enrollment for this program: 0 places are taken.</p>`;
  return html`<p class="lead">${isCut ? "At least " : ""}${numberText(used)} ${used === 1 ? "place is" : "places are"} taken, says the booking database now.</p>
${dataTable("Enrollments by status and role", groups, {
  Status: heading(({ status }) => status ?? html`<span class="none">none</span>`),
  Role: ({ role }) => role ?? html`<span class="none">none</span>`,
  Enrollments: numeric(({ count }) => numberText(count)),
  "Takes places": ({ place }) => badge(words[place], place === "used" ? "good" : "neutral"),
})}
${isCut && html`<p>There are more kinds of enrollments than can be shown.</p>`}`;
}

const words = { used: "yes", terminal: "no, it is over", staff: "no, staff" } as const;
