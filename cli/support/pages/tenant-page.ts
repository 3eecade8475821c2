import { type RegisteredToken, tokenStatus } from "../../../core/documents/token-registry.ts";
import { Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import { money } from "../../output/field-words.ts";
import { type Html, html } from "../../output/html.ts";
import { counted, numberText, type Reader } from "../../output/words.ts";
import { readLive, readLiveManifest } from "../../publish/snapshot/stored-snapshot.ts";
import { readTenantSnapshots, type TenantSnapshots } from "../../read/snapshots/tenant-snapshots.ts";
import { storedPrograms } from "../facts/program.ts";
import { readTenantFacts } from "../facts/tenants.ts";
import { goneSince } from "../judgement/standings.ts";
import { isUnknown, type JudgedTenant, judgedTenant } from "../judgement/tenant.ts";
import { describedTenant } from "../texts/description.ts";
import { programPath, tenantPath } from "./addresses.ts";
import { concernItem } from "./health-page.ts";
import { homeTrail, type Inspection, type Page } from "./page.ts";
import { badge, command, dataTable, describedList, longTable, notice, section, time } from "./parts.ts";

/** One tenant: its state, its programs, its keys and its versions. */
export async function tenantPage(tenantId: TenantId, inspection: Inspection): Promise<Page> {
  const { store, log, signal } = inspection;
  const reader = inspection.reader();
  const lastHour = await log?.lastHour(reader.now);
  const live = await readLive(store, tenantId, signal, (pointer) => readLiveManifest(store, pointer, signal));
  const { tenants } = await readTenantFacts({ store, only: tenantId, live, log: lastHour, signal });
  const [facts] = tenants;
  if (facts === undefined || isUnknown(facts)) {
    throw new Failure("not_found", `The store has nothing of tenant ${tenantId}.`);
  }
  const tenant = judgedTenant(facts, reader);
  const isRead = live.kind === "read";
  const programs = isRead && (await storedPrograms(store, live.content, signal));
  const history = isRead && (await readTenantSnapshots(store, live.pointer, signal));
  const main = html`<h1><bdi>${tenantId}</bdi></h1>
${tenant.concerns.length === 0 && notice("good", html`<p>All is well.</p>`)}
${tenant.concerns.map((concern) => notice(concern.severity, concernItem(concern, reader, { isOpen: true })))}
${programs && programsSection(tenantId, programs)}
${whyForm(tenantId)}
${section("state", "State", describedList(describedTenant(tenant), reader))}
${keysSection(tenant, reader)}
${history && versionsSection(tenant, history, reader)}
<p class="rule">What operators changed, and why: ${command(`audit list --tenant ${tenantId}`)}</p>`;
  return { status: 200, title: tenantId, trail: homeTrail, main };
}

/** The live snapshot's programs in the order of its list. */
function programsSection(tenantId: string, programs: readonly ProgramListItem[]): Html {
  const table = longTable("Programs in the order of the list that partners get", programs, {
    Program: ({ id, name }) =>
      html`<a class="row-link" href="${programPath(tenantId, id)}"><bdi>${name}</bdi></a> <code class="id">${id}</code>`,
    Departure: ({ departureDate }) => html`<span class="whole">${departureDate ?? "–"}</span>`,
    Days: ({ durationDays }) => durationDays ?? "–",
    Free: ({ capacity }) => `${capacity.remaining} of ${capacity.total}`,
    From: ({ prices: { startingAmount }, currency }) =>
      startingAmount === null ? "–" : html`<span class="whole">${money(startingAmount, currency)}</span>`,
  });
  return section(
    "programs",
    "Programs",
    html`<p class="lead">${counted(programs.length, "program")}</p>${programs.length > 0 && table}`,
  );
}

/** The form for the question that brings most people to these pages. */
function whyForm(tenantId: string): Html {
  return section(
    "why",
    "Why isn’t a program served?",
    html`<form class="search" action="${tenantPath(tenantId)}/programs" method="get">
<label for="program">Program id, as the partner or the booking system writes it</label>
<div class="field"><input id="program" name="id" required maxlength="500" autocomplete="off" spellcheck="false">
<button>Explain</button></div>
</form>`,
  );
}

function keysSection({ keys }: JudgedTenant, reader: Reader): Html | false {
  if (keys === null) return false;
  const ended = ({ revokedAt }: RegisteredToken): number => (revokedAt === null ? 0 : 1);
  const inOrder = keys.toSorted((a, b) => ended(a) - ended(b));
  const table = longTable("Access keys, those in force first", inOrder, {
    Key: ({ name, tokenId }) =>
      html`<strong><bdi>${name ?? tokenId}</bdi></strong> <code class="id">${tokenId}</code>`,
    State: (token) => keyBadge(token, reader),
    Ends: ({ expiresAt }) => (expiresAt === null ? "never" : time(expiresAt, reader)),
    Issued: ({ createdAt }) => time(createdAt, reader),
  });
  const none = html`<p>None was issued, so no partner reads these programs.</p>`;
  return section("keys", "Access keys", keys.length === 0 ? none : table);
}

function keyBadge(token: RegisteredToken, reader: Reader): Html {
  const { revokedAt, expiresAt } = token;
  if (revokedAt !== null) return html`${badge("revoked", "neutral")} ${time(revokedAt, reader)}`;
  if (tokenStatus(token, reader.now) !== "active") return badge("expired", "bad");
  // The end of a key is an outage for the partner.
  const endsSoon = expiresAt !== null && Date.parse(expiresAt) - reader.now.getTime() < 14 * 86_400_000;
  return endsSoon ? badge("expires soon", "doubtful") : badge("active", "good");
}

/** The newest times in which partners saw a version. After a rollback, one version may have had several. */
function versionsSection(
  tenant: JudgedTenant,
  { published, periods }: TenantSnapshots,
  reader: Reader,
): Html {
  const byId = new Map(published.map((snapshot) => [snapshot.snapshotId, snapshot]));
  // P91: partners saw the live snapshot only until the removal of the tenant.
  const end = goneSince(tenant);
  const table = dataTable("What partners saw when, newest first", periods.slice(0, 10), {
    Snapshot: ({ snapshotId }) => html`<code>${snapshotId}</code>`,
    "Seen from": ({ from, how }) =>
      html`${time(from, reader)}${how === "rolled back to" && html` ${badge("rollback", "doubtful")}`}`,
    Until: ({ until }) => {
      const last = until ?? end;
      return last === null ? badge("live", "good") : time(last, reader);
    },
    Programs: ({ snapshotId }) => numberText(byId.get(snapshotId)?.programs ?? 0),
  });
  const older = command(`snapshot list --tenant ${tenant.tenantId}`);
  return section(
    "versions",
    "Versions",
    html`<p class="lead">${counted(published.length, "snapshot")} kept. What a version changed: ${command(`snapshot diff --tenant ${tenant.tenantId}`)}</p>
${table}
${periods.length > 10 && html`<p>Older ones: ${older}</p>`}`,
  );
}
