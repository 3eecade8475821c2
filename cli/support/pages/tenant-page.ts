import { Failure } from "../../../core/failure.ts";
import { parseTenantId, type TenantId } from "../../../core/ids.ts";
import { type RegisteredToken, tokenStatus } from "../../../core/token-registry.ts";
import { readLivePeriods } from "../../operate/snapshots/live-periods.ts";
import { counted, numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { publishedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { storedPrograms } from "../facts/program-in-store.ts";
import { readTenants } from "../facts/tenants.ts";
import { goneSince, isUnknown, type JudgedTenant, judgedTenant } from "../judgement/tenant.ts";
import { describedTenant } from "../texts/described-tenant.ts";
import { concernItem } from "./concern-items.ts";
import { homeTrail } from "./page.ts";
import {
  badge,
  command,
  dataTable,
  describedList,
  heading,
  notice,
  numeric,
  section,
  time,
} from "./parts.ts";
import { programsSection, whyForm } from "./programs-section.ts";
import { type Inspection, route } from "./route.ts";

/** One tenant: its state, its programs, its keys and its versions. */
export const tenantRoute = route("/tenants/:tenant", async ([id = ""], query, inspection) => {
  const { store, log, signal } = inspection;
  const reader = inspection.reader();
  const { now } = reader;
  const tenantId = parseTenantId(id);
  const lastHour = await log?.lastHour(now);
  const { tenants } = await readTenants({ store, only: tenantId, log: lastHour, signal });
  const [facts] = tenants;
  if (facts === undefined || isUnknown(facts)) {
    throw new Failure("not_found", `The store has nothing of tenant ${tenantId}.`);
  }
  const tenant = judgedTenant(facts, reader);
  const published = tenant.live === null ? null : await readPublished(inspection, tenantId);
  const main = html`<h1><bdi>${tenantId}</bdi></h1>
${tenant.concerns.length === 0 && notice("good", html`<p>All is well.</p>`)}
${tenant.concerns.map((concern) => notice(concern.severity, concernItem(concern, reader, true)))}
${published !== null && programsSection(tenantId, published.programs, query)}
${whyForm(tenantId)}
${section("state", "State", describedList(describedTenant(tenant), reader))}
${keysSection(tenant, reader)}
${published !== null && versionsSection(tenant, published, reader)}
<p class="rule">What operators changed, and why: ${command(`audit list --tenant ${tenantId}`)}</p>`;
  return { status: 200, title: tenantId, trail: homeTrail, main };
});

async function readPublished({ store, signal }: Inspection, tenantId: TenantId) {
  const live = await publishedSnapshot(store, tenantId, signal);
  if (live === undefined) throw new Failure("not_found", `Tenant ${tenantId} is not published any more.`);
  const programs = await storedPrograms(store, live.manifest, signal);
  return { programs, ...(await readLivePeriods(store, live.pointer, signal)) };
}

/** A key that ends within this time is marked, since its end is an outage for the partner. */
const soonMs = 14 * 86_400_000;
const maxKeys = 50;

function keysSection({ keys }: JudgedTenant, reader: Reader): Html | false {
  if (keys === null) return false;
  const ended = ({ revokedAt }: RegisteredToken): number => (revokedAt === null ? 0 : 1);
  const shown = keys.toSorted((a, b) => ended(a) - ended(b)).slice(0, maxKeys);
  return section(
    "keys",
    "Access keys",
    html`${keys.length === 0 && html`<p>None was issued, so no partner reads these programs.</p>`}
${
  shown.length > 0 &&
  dataTable("Access keys, those in force first", shown, {
    Key: heading(
      ({ name, tokenId }) =>
        html`<strong><bdi>${name ?? tokenId}</bdi></strong> <code class="id">${tokenId}</code>`,
    ),
    State: (token) => keyBadge(token, reader),
    Ends: ({ expiresAt }) => (expiresAt === null ? "never" : time(expiresAt, reader)),
    Issued: ({ createdAt }) => time(createdAt, reader),
  })
}
${keys.length > maxKeys && html`<p>… and ${numberText(keys.length - maxKeys)} more: ${command("token list")}</p>`}`,
  );
}

function keyBadge(token: RegisteredToken, reader: Reader): Html {
  const { revokedAt, expiresAt } = token;
  if (revokedAt !== null) return html`${badge("revoked", "neutral")} ${time(revokedAt, reader)}`;
  if (tokenStatus(token, reader.now) !== "active") return badge("expired", "bad");
  const endsSoon = expiresAt !== null && Date.parse(expiresAt) - reader.now.getTime() < soonMs;
  return endsSoon ? badge("expires soon", "doubtful") : badge("active", "good");
}

type Published = Awaited<ReturnType<typeof readPublished>>;

/** The newest times in which partners saw a version. After a rollback, one version may have had several. */
function versionsSection(tenant: JudgedTenant, { published, periods }: Published, reader: Reader): Html {
  const byId = new Map(published.map((snapshot) => [snapshot.snapshotId, snapshot]));
  const shown = periods.slice(0, maxPeriods);
  // P91: partners saw the live snapshot only until the removal of the tenant.
  const end = goneSince(tenant);
  return section(
    "versions",
    "Versions",
    html`<p class="lead">${counted(published.length, "snapshot")} kept. What a version changed: ${command(`snapshot diff --tenant ${tenant.tenantId}`)}</p>
${dataTable("What partners saw when, newest first", shown, {
  Snapshot: heading(({ snapshotId }) => html`<code>${snapshotId}</code>`),
  "Seen from": ({ from, how }) =>
    html`${time(from, reader)}${how === "rolled back to" && html` ${badge("rollback", "doubtful")}`}`,
  Until: ({ until }) => {
    const last = until ?? end;
    return last === null ? badge("live", "good") : time(last, reader);
  },
  Programs: numeric(({ snapshotId }) => numberText(byId.get(snapshotId)?.programs ?? 0)),
})}
${periods.length > maxPeriods && html`<p>Older ones: ${command(`snapshot list --tenant ${tenant.tenantId}`)}</p>`}`,
  );
}

const maxPeriods = 10;
