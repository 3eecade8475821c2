import { type RegisteredToken, tokenStatus } from "../../../core/token-registry.ts";
import { busiestKeys, type KeyActivity } from "../../operate/log-index/key-activity.ts";
import type { LogState } from "../../operate/log-index/request-log.ts";
import { readRegistry } from "../../operate/tokens/edit-registry.ts";
import { counted, numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { requestsOf, tenantPath, tokensPath } from "./addresses.ts";
import { type CsvTable, csvTable } from "./csv.ts";
import { homeTrail } from "./page.ts";
import { badge, dataTable, heading, logNotices, noLog, numeric, tenantForm, time } from "./parts.ts";
import { type Inspection, route } from "./route.ts";

const maxShown = 200;
const dayMs = 86_400_000;

type Used = { readonly activity: ReadonlyMap<string, KeyActivity>; readonly state: LogState } | null;

/** An access key, and what it did as far as the log tells. */
type Key = RegisteredToken & { readonly did: KeyActivity | undefined };

/** The keys of all tenants or of one, the busiest first, and what partners do with them. */
export const tokensRoute = route("/tokens", async ({ query }, inspection) => {
  const tenantId = query.get("tenant")?.trim() || undefined;
  const reader = inspection.reader();
  const { registry } = await readRegistry(inspection.store);
  const own = registry.tokens.filter((token) => tenantId === undefined || token.tenantId === tenantId);
  const byTenant = own.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const used = await usedFor(byTenant, inspection);
  const tokens = (used === null ? byTenant : byLoad(byTenant, used)).slice(0, maxShown);
  const rows = tokens.map((token): Key => ({ ...token, did: used?.activity.get(token.tokenId) }));
  const title = tenantId === undefined ? "Access keys" : `Access keys of ${tenantId}`;
  const main = html`<h1>${title}</h1>
${used === null ? noLog() : logNotices(used.state, reader)}
${tenantForm(tokensPath, "Access keys", tenantId)}
<p class="lead" role="status">${summary(tokens, own.length, used, reader)}</p>
${rows.length > 0 && html`<div class="dense">${keyTable(rows, used, reader)}</div>`}`;
  const tables = [keysTable(rows, reader)];
  return { status: 200, title, trail: homeTrail, main, tables };
});

function byLoad(tokens: readonly RegisteredToken[], { activity }: NonNullable<Used>): RegisteredToken[] {
  const byId = new Map<string, RegisteredToken>(tokens.map((token) => [token.tokenId, token]));
  return [...activity.keys()].flatMap((tokenId) => byId.get(tokenId) ?? []);
}

function keysTable(keys: readonly Key[], reader: Reader): CsvTable {
  return csvTable("keys", keys, {
    tokenId: ({ tokenId }) => tokenId,
    name: ({ name }) => name,
    tenantId: ({ tenantId }) => tenantId,
    status: (token) => tokenStatus(token, reader.now),
    lastSeenAt: ({ did }) => (did?.lastSeenMs == null ? null : new Date(did.lastSeenMs).toISOString()),
    requests: ({ did }) => did?.requests ?? null,
    errors: ({ did }) => did?.errors ?? null,
    errorShare: ({ did }) => (did && did.requests > 0 ? did.errors / did.requests : null),
    legacy: ({ did }) => did?.legacy ?? null,
    limited: ({ did }) => did?.limited ?? null,
    busiestMinute: ({ did }) => did?.busiestMinute ?? null,
    limit: ({ did, rateLimit }) => rateLimit ?? did?.limit ?? null,
    expiresAt: ({ expiresAt }) => expiresAt,
    revokedAt: ({ revokedAt }) => revokedAt,
  });
}

function summary(tokens: readonly RegisteredToken[], total: number, used: Used, reader: Reader): string {
  const active = tokens.filter((token) => tokenStatus(token, reader.now) === "active").length;
  const count = `${counted(total, "key")}, ${numberText(active)} active.`;
  const shown = tokens.length < total ? ` The first ${tokens.length} are shown: choose a tenant.` : "";
  const covers = used?.state.covers ?? null;
  const span =
    covers === null ? "" : ` The log covers ${covers.from.slice(0, 16)}Z to ${covers.to.slice(0, 16)}Z.`;
  return `${count}${shown}${span}`;
}

function keyTable(keys: readonly Key[], used: Used, reader: Reader): Html {
  const ofLog =
    (cell: (did: KeyActivity, key: Key) => Html | string) =>
    (key: Key): Html | string =>
      key.did === undefined ? "–" : cell(key.did, key);
  const caption = used === null ? "Access keys, by tenant and name" : "Access keys, the busiest first";
  return dataTable(caption, keys, {
    Key: heading(keyLinks),
    Status: (token) =>
      html`${statusBadge(token, reader)}${token.revokedAt !== null && html` ${time(token.revokedAt, reader)}`}`,
    "Last seen": ofLog(({ lastSeenMs }) =>
      lastSeenMs === null
        ? html`<span class="none">not in the log</span>`
        : time(new Date(lastSeenMs).toISOString(), reader),
    ),
    "A day": numeric(ofLog(({ requests }) => perDay(requests, used?.state.covers ?? null))),
    "Refused or failed": numeric(ofLog(share)),
    "Old address": numeric(ofLog(legacy)),
    "Busiest minute": numeric(ofLog(quota)),
    Expires: ({ expiresAt }) => (expiresAt === null ? "never" : time(expiresAt, reader)),
  });
}

function keyLinks({ tokenId, tenantId, name }: Key): Html {
  return html`<a class="row-link" href="${requestsOf({ token: tokenId })}"><bdi>${name ?? tokenId}</bdi></a> <code class="id">${tokenId}</code> <a href="${tenantPath(tenantId)}">${tenantId}</a>`;
}

/** A key that ends within this time is marked, since its end is an outage for the partner. */
const soonMs = 14 * dayMs;

function statusBadge(token: RegisteredToken, reader: Reader): Html {
  const status = tokenStatus(token, reader.now);
  const endsInMs =
    token.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(token.expiresAt) - reader.now.getTime();
  if (status === "active") {
    return endsInMs < soonMs ? badge("expires soon", "doubtful") : badge("active", "good");
  }
  return badge(status, status === "expired" ? "bad" : "neutral");
}

function perDay(requests: number, covers: LogState["covers"]): string {
  if (covers === null || requests === 0) return "0";
  const days = Math.max(1, (Date.parse(covers.to) - Date.parse(covers.from)) / dayMs);
  const each = requests / days;
  return each.toLocaleString("en", { maximumFractionDigits: each < 10 ? 1 : 0 });
}

function share({ requests, errors }: KeyActivity, { tokenId }: RegisteredToken): Html | string {
  if (requests === 0) return "–";
  const percent = (errors / requests) * 100;
  const text = errors > 0 && percent < 0.1 ? "below 0.1 %" : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
  return errors === 0
    ? text
    : html`<a href="${requestsOf({ token: tokenId, status: "errors" })}">${text}</a>`;
}

function legacy({ legacy: calls }: KeyActivity, { tokenId }: RegisteredToken): Html | string {
  if (calls === 0) return "0";
  return html`<a href="${requestsOf({ token: tokenId, route: "legacy" })}">${numberText(calls)}</a>`;
}

/** The requests of the busiest minute, and the limit per window. A window is a minute by default. */
function quota(activity: KeyActivity, { tokenId, rateLimit }: RegisteredToken): Html {
  const limit = rateLimit ?? activity.limit;
  const { busiestMinute, limited } = activity;
  const busiest = `${numberText(busiestMinute)}${limit === null ? "" : ` of ${numberText(limit)}`}`;
  if (limited === 0) return html`${busiest}`;
  const address = requestsOf({ token: tokenId, status: "429" });
  return html`${busiest}, <a href="${address}">${numberText(limited)} refused</a>`;
}

async function usedFor(tokens: readonly RegisteredToken[], { log, signal }: Inspection): Promise<Used> {
  if (log === undefined) return null;
  await log.refresh();
  const ids = tokens.map(({ tokenId }) => tokenId);
  return { activity: await busiestKeys(log.index, ids, maxShown, signal), state: log.state() };
}

/** The revoked keys of a tenant come after its other keys. */
function sortKey({ tenantId, revokedAt, name, tokenId }: RegisteredToken): string {
  return [tenantId, revokedAt === null ? "0" : "1", name ?? "\uffff", tokenId].join("\u0000");
}
