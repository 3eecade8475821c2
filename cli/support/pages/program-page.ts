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
import { storedJson } from "../facts/program-in-store.ts";
import { removedAtOf } from "../facts/registry.ts";
import { explainPath, programPath, snapshotPath, snapshotProgramPath } from "./addresses.ts";
import { notFoundPage } from "./not-found-page.ts";
import { type Page, tenantTrail } from "./page.ts";
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
import { type Inspection, route } from "./route.ts";

export const programRoute = route("/tenants/:tenant/programs/:program", programPage);

/** P76: a program as it is in one snapshot, whatever happened to it since. */
export const snapshotProgramRoute = route(
  "/tenants/:tenant/snapshots/:snapshot/programs/:program",
  programPage,
);

async function programPage(
  { tenant, program, snapshot }: Readonly<Record<"tenant" | "program", string>> & { snapshot?: string },
  inspection: Inspection,
): Promise<Page> {
  const [tenantId, programId] = [parseTenantId(tenant), parseProgramId(program)];
  const snapshotId = snapshot === undefined ? undefined : parseSnapshotId(snapshot);
  return await notFoundPage({ tenantId, programId }, inspection, async () =>
    foundPage(tenantId, programId, snapshotId, inspection),
  );
}

/** A program as it is in the snapshot, or in the live one. Throws `not_found`. */
async function foundPage(
  tenantId: TenantId,
  programId: ProgramId,
  chosen: SnapshotId | undefined,
  { store, gateway, reader, signal }: Inspection,
): Promise<Page> {
  const { manifest, isLive } = await chosenSnapshot(store, tenantId, chosen, signal);
  const { snapshotId, generatedAt, contentAt: dataOf = generatedAt } = manifest;
  const entry = detailEntry(manifest, programId);
  // When its tenant was removed; `null` when it was not.
  const removedAt = await removedAtOf(store, tenantId, signal);
  const shown = { tenantId, programId, snapshotId, dataOf, isLive, removedAt };
  if (entry === undefined) throw notInSnapshot(shown, reader());
  const document = await storedJson(store, entry, signal);
  // The document, if it fits the schema of this version.
  const program = isProgramDetailResponse(document) ? document.data : null;
  const main = html`<h1><bdi>${program?.name ?? programId}</bdi></h1>
${lead(shown, reader())}
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
    ["Object", html`<code>${entry.key}</code>`],
    ["SHA-256", html`<code>${entry.sha256}</code>`],
    ["With curl", shellLine(curlLine(gateway?.url ?? null, programId))],
  ],
  "steps",
)}
<details><summary>JSON, indented for reading</summary>
<pre tabindex="0">${printableJson(document)}</pre></details></section>`;
  const trail = tenantTrail(tenantId);
  const tables = program === null ? [] : sectionTables(program);
  return { status: 200, title: program?.name ?? programId, trail, main, tables };
}

interface Shown {
  readonly tenantId: TenantId;
  readonly programId: ProgramId;
  readonly snapshotId: SnapshotId;
  /** The time of the data; RFC 3339, like `removedAt`. */
  readonly dataOf: string;
  readonly isLive: boolean;
  readonly removedAt: string | null;
}

function notInSnapshot({ programId, snapshotId, isLive, removedAt }: Shown, reader: Reader): Failure {
  const which = isLive ? "The live snapshot" : `Snapshot ${snapshotId}`;
  const partners = !isLive
    ? "while it was live, partners got 404 for it"
    : removedAt === null
      ? "partners get 404 for it"
      : `since the tenant was removed (${plainTime(removedAt, reader)}), partners get 401 for everything`;
  return new Failure("not_found", `${which} has no program ${programId}: ${partners}.`);
}

function lead(shown: Shown, reader: Reader): Html {
  const { tenantId, programId, snapshotId, dataOf, isLive, removedAt } = shown;
  // P91: partners of a removed tenant no longer get the program.
  if (removedAt !== null) {
    return html`<p class="lead">What partners got for <code>${programId}</code> from snapshot <code>${snapshotId}</code>, with the data of ${time(dataOf, reader)}.</p>
${notice("doubtful", html`<p>Now they get 401 (unauthorized): tenant ${tenantId} was removed ${time(removedAt, reader)}.</p>`)}
${programLinks(tenantId, programId, "program")}`;
  }
  if (isLive) {
    return html`<p class="lead">What partners get for <code>${programId}</code>.</p>
${programLinks(tenantId, programId, "program")}`;
  }
  return html`<p class="lead">What partners got for <code>${programId}</code> while snapshot <code>${snapshotId}</code> was live.</p>
${notice("doubtful", html`<p>This is not what they get now. It is of ${time(dataOf, reader)}. <a href="${programPath(tenantId, programId)}">What partners get now</a></p>`)}
${programLinks(tenantId, programId, "program")}`;
}

/** A call to paste into a terminal. It names a variable instead of a token, since no page holds a token. */
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

function emptyFields(program: ProgramDetail): readonly string[] {
  return Object.entries(program)
    .filter(([, value]) => value === null || (Array.isArray(value) && value.length === 0))
    .map(([name]) => name);
}
