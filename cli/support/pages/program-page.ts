import { Failure } from "../../../core/failure.ts";
import {
  type ProgramId,
  parseProgramId,
  parseSnapshotId,
  parseTenantId,
  type SnapshotId,
  type TenantId,
} from "../../../core/ids.ts";
import { detailEntry } from "../../../core/manifest.ts";
import { printableJson } from "../../../core/printable.ts";
import type { ProgramDetail } from "../../../schemas/generated/types.ts";
import { isProgramDetailResponse } from "../../../schemas/generated/validators-published.ts";
import { directionOf, type Html, html } from "../../output/html.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import { chosenSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { removedAtOf } from "../facts/registry.ts";
import {
  explainPath,
  home,
  programPath,
  snapshotPath,
  snapshotProgramPath,
  tenantPath,
} from "./addresses.ts";
import { notFoundPage } from "./not-found-page.ts";
import type { Page } from "./page.ts";
import { day, factList, notice, price, shellLine, time } from "./parts.ts";
import { programLinks } from "./program-links.ts";
import {
  contentSection,
  hotelsSection,
  mediaSection,
  peopleSection,
  pricesSection,
  sectionTables,
} from "./program-sections.ts";
import type { Inspection } from "./route.ts";
import { route } from "./route.ts";
import { storedJson } from "./stored-json.ts";

/** A program as partners get it. */
export interface ProgramPageView {
  readonly tenantId: string;
  readonly programId: string;
  readonly snapshotId: string;
  readonly generatedAt: string;
  readonly isLive: boolean;
  /** When its tenant was removed; `null` while it is not. */
  readonly removedAt: string | null;
  readonly objectKey: string;
  readonly sha256: string;
  /** What the bytes say. */
  readonly document: unknown;
  /** The same, if it fits the schema of this version. */
  readonly program: ProgramDetail | null;
}

function programPage(view: ProgramPageView, { reader, gateway }: Inspection): Page {
  const { tenantId, programId, program, document, objectKey, sha256, snapshotId } = view;
  const main = html`<h1><bdi>${program?.name ?? programId}</bdi></h1>
${lead(view, reader())}
${
  program === null
    ? notice(
        "doubtful",
        html`<p>The stored document does not fit the schema of this version; below is what it says.</p>`,
      )
    : readable(program, explainPath(tenantId, programId))
}
<section aria-labelledby="exact"><h2 id="exact">The exact answer</h2>
${factList(
  [
    ["Snapshot", html`<a href="${snapshotPath(tenantId, snapshotId)}"><code>${snapshotId}</code></a>`],
    [
      "Permalink",
      html`<a href="${snapshotProgramPath(tenantId, snapshotId, programId)}">this version, also when another is live</a>`,
    ],
    ["Object", html`<code>${objectKey}</code>`],
    ["SHA-256", html`<code>${sha256}</code>`],
    ["With curl", shellLine(curlLine(gateway?.url ?? null, programId))],
  ],
  "steps",
)}
<details><summary>JSON, indented for reading</summary>
<pre tabindex="0">${printableJson(document)}</pre></details></section>`;
  const trail = [
    { text: "Tenants", path: home },
    { text: tenantId, path: tenantPath(tenantId) },
  ];
  const tables = program === null ? [] : sectionTables(program);
  return { status: 200, title: program?.name ?? programId, trail, main, tables };
}

function lead(view: ProgramPageView, reader: Reader): Html {
  const { tenantId, programId, snapshotId, generatedAt, isLive, removedAt } = view;
  // P91
  if (removedAt !== null) {
    return html`<p class="lead">What partners got for <code>${programId}</code> from snapshot <code>${snapshotId}</code>, with the data of ${time(generatedAt, reader)}.</p>
${notice("doubtful", html`<p>Now they get 401 (unauthorized): tenant ${tenantId} was removed ${time(removedAt, reader)}.</p>`)}
${programLinks(tenantId, programId, "program")}`;
  }
  if (isLive) {
    return html`<p class="lead">What partners get for <code>${programId}</code>.</p>
${programLinks(tenantId, programId, "program")}`;
  }
  return html`<p class="lead">What partners got for <code>${programId}</code> while snapshot <code>${snapshotId}</code> was live.</p>
${notice("doubtful", html`<p>This is not what they get now. It is of ${time(generatedAt, reader)}. <a href="${programPath(tenantId, programId)}">What partners get now</a></p>`)}
${programLinks(tenantId, programId, "program")}`;
}

/** The token is for whoever pastes it to fill in: it never stands in a page. */
function curlLine(gatewayUrl: string | null, programId: string): string {
  const address = `${gatewayUrl ?? "https://GATEWAY"}/v1/programs/${encodeURIComponent(programId)}`;
  return `curl -i -H "Authorization: Bearer $TOKEN" '${address.replaceAll("'", "%27")}'`;
}

function readable(program: ProgramDetail, explain: string): Html {
  const { capacity, duration, guide, category, description } = program;
  const empty = emptyFields(program);
  const categories = [category?.type, category?.subtype].filter((part) => part != null).join(", ");
  return html`${factList([
    ["Departure", day(program.departureDate)],
    ["Return", day(program.returnDate)],
    ["Length", duration && `${duration.days} days, ${duration.nights} nights`],
    ["Places", `${capacity.remaining} free of ${capacity.total}, ${capacity.used} taken`],
    [
      "From",
      program.prices.startingAmount !== null && price(program.prices.startingAmount, program.currency),
    ],
    ["Category", categories !== "" && categories],
    ["Guide", guide && html`<bdi>${guide.name}</bdi>`],
    ["Departs from", program.departurePoint && html`<bdi>${program.departurePoint}</bdi>`],
    ["Tags", program.marketingTags && program.marketingTags.length > 0 && program.marketingTags.join(", ")],
  ])}
${description !== null && html`<p class="prose" dir="${directionOf(description)}">${description}</p>`}
${pricesSection(program)}
${hotelsSection(program)}
${peopleSection(program)}
${mediaSection(program)}
${program.content !== null && contentSection(program.content)}
${
  empty.length > 0 &&
  html`<p class="lead">Nothing is published of: ${empty.join(", ")}. <a href="${explain}">Why?</a></p>`
}`;
}

/** The fields without any published value, by their names in the API. */
function emptyFields(program: ProgramDetail): readonly string[] {
  return Object.entries(program)
    .filter(([, value]) => value === null || (Array.isArray(value) && value.length === 0))
    .map(([name]) => name);
}

/** A program as it is in the snapshot, or in the live one. Throws `not_found`. */
async function shownProgram(
  { store, reader, signal }: Inspection,
  tenantId: TenantId,
  programId: ProgramId,
  snapshotId: SnapshotId | undefined,
): Promise<ProgramPageView> {
  const { manifest, isLive } = await chosenSnapshot(store, tenantId, snapshotId, signal);
  const entry = detailEntry(manifest, programId);
  const removedAt = await removedAtOf(store, tenantId, signal);
  if (entry === undefined) {
    const which = isLive ? "The live snapshot" : `Snapshot ${manifest.snapshotId}`;
    const partners = !isLive
      ? "while it was live, partners got 404 for it"
      : removedAt === null
        ? "partners get 404 for it"
        : `since the tenant was removed (${plainTime(removedAt, reader())}), partners get 401 for everything`;
    throw new Failure("not_found", `${which} has no program ${programId}: ${partners}.`);
  }
  const document = await storedJson(store, entry, signal);
  const program = isProgramDetailResponse(document) ? document.data : null;
  return {
    tenantId,
    programId,
    snapshotId: manifest.snapshotId,
    generatedAt: manifest.contentAt ?? manifest.generatedAt,
    isLive,
    removedAt,
    objectKey: entry.key,
    sha256: entry.sha256,
    document,
    program,
  };
}

interface Input {
  readonly tenantId: TenantId;
  readonly programId: ProgramId;
}

export const programRoute = route({
  pattern: "/tenants/:tenant/programs/:program",
  parse: ({ tenant, program }): Input => ({
    tenantId: parseTenantId(tenant),
    programId: parseProgramId(program),
  }),
  page,
});

async function page({ tenantId, programId }: Input, inspection: Inspection): Promise<Page> {
  return await notFoundPage({ tenantId, programId }, inspection, async () =>
    programPage(await shownProgram(inspection, tenantId, programId, undefined), inspection),
  );
}

/** P76: a program as it is in one snapshot, whatever became of it. */
export const snapshotProgramRoute = route({
  pattern: "/tenants/:tenant/snapshots/:snapshot/programs/:program",
  parse: ({ tenant, snapshot, program }) => ({
    tenantId: parseTenantId(tenant),
    snapshotId: parseSnapshotId(snapshot),
    programId: parseProgramId(program),
  }),
  page: async ({ tenantId, snapshotId, programId }, inspection) =>
    await notFoundPage({ tenantId, programId }, inspection, async () =>
      programPage(await shownProgram(inspection, tenantId, programId, snapshotId), inspection),
    ),
});
