import { type RegisteredToken, tokenStatus } from "../../../core/token-registry.ts";
import { type KeyActivity, keyActivity } from "../../operate/log-index/key-activity.ts";
import type { LogState } from "../../operate/log-index/request-log.ts";
import { readRegistry } from "../../operate/tokens/edit-registry.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { clientPath, home, requestsOf, tenantPath, tokensPath } from "./addresses.ts";
import type { Page } from "./page.ts";
import { badge, dataTable, logNotices, noLog, time } from "./parts.ts";
import type { Inspection } from "./route.ts";
import { route } from "./route.ts";

/** The keys of partners, and what they do with them. */
export interface TokensView {
  /** Of one tenant only. */
  readonly tenantId: string | undefined;
  readonly tokens: readonly RegisteredToken[];
  /** All that there are, also those beyond what a page shows. */
  readonly total: number;
  /** `null` without a log. */
  readonly used: { readonly activity: ReadonlyMap<string, KeyActivity>; readonly state: LogState } | null;
}

const dayMs = 86_400_000;

function tokensPage({ tenantId, tokens, total, used }: TokensView, reader: Reader): Page {
  const title = tenantId === undefined ? "Access keys" : `Access keys of ${tenantId}`;
  const main = html`<h1>${title}</h1>
${used === null ? noLog() : logNotices(used.state, reader)}
<form class="search" action="${tokensPath}" method="get" aria-label="Access keys">
<label for="tenant">Tenant</label>
<div class="field"><input id="tenant" name="tenant" autocomplete="off" spellcheck="false" value="${tenantId ?? ""}"><button>Show</button></div>
</form>
<p class="lead" role="status">${summary(tokens, total, used, reader)}</p>
${
  tokens.length > 0 &&
  html`<div class="dense">${dataTable(
    "Access keys, by tenant and name",
    [
      { title: "Key", isHeading: true },
      { title: "Status" },
      { title: "Last seen" },
      { title: "A day", isNumber: true },
      { title: "Refused or failed", isNumber: true },
      { title: "Old address", isNumber: true },
      { title: "Busiest minute", isNumber: true },
      { title: "Expires" },
    ],
    tokens.map((token) => cells(token, used, reader)),
  )}</div>`
}`;
  return { status: 200, title, trail: [{ text: "Tenants", path: home }], main };
}

function summary(
  tokens: readonly RegisteredToken[],
  total: number,
  used: TokensView["used"],
  reader: Reader,
): string {
  const active = tokens.filter((token) => tokenStatus(token, reader.now) === "active").length;
  const count = `${total.toLocaleString("en")} ${total === 1 ? "key" : "keys"}, ${active.toLocaleString("en")} active.`;
  const shown = tokens.length < total ? ` The first ${tokens.length} are shown: choose a tenant.` : "";
  const covers = used?.state.covers ?? null;
  const span =
    covers === null ? "" : ` The log covers ${covers.from.slice(0, 16)}Z to ${covers.to.slice(0, 16)}Z.`;
  return `${count}${shown}${span}`;
}

function cells(token: RegisteredToken, used: TokensView["used"], reader: Reader): readonly (Html | string)[] {
  const { tokenId, tenantId, name, expiresAt, revokedAt } = token;
  const activity = used?.activity.get(tokenId);
  return [
    html`<a class="row-link" href="${requestsOf({ token: tokenId })}"><bdi>${name ?? tokenId}</bdi></a> <code class="id">${tokenId}</code> <a href="${tenantPath(tenantId)}">${tenantId}</a>${activity !== undefined && activity.lastSeenMs !== null && html` <a href="${clientPath(tokenId)}">how it behaves</a>`}`,
    html`${statusBadge(token, reader)}${revokedAt !== null && html` ${time(revokedAt, reader)}`}`,
    activity === undefined
      ? "–"
      : activity.lastSeenMs === null
        ? html`<span class="none">not in the log</span>`
        : time(new Date(activity.lastSeenMs).toISOString(), reader),
    activity === undefined ? "–" : perDay(activity.requests, used?.state.covers ?? null),
    activity === undefined ? "–" : share(token, activity),
    activity === undefined ? "–" : legacy(token, activity),
    activity === undefined ? "–" : quota(token, activity),
    expiresAt === null ? "never" : time(expiresAt, reader),
  ];
}

/** A key that ends soon is about to be a partner's outage. */
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

function share({ tokenId }: RegisteredToken, { requests, errors }: KeyActivity): Html | string {
  if (requests === 0) return "–";
  const percent = (errors / requests) * 100;
  const text = errors > 0 && percent < 0.1 ? "below 0.1 %" : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
  return errors === 0
    ? text
    : html`<a href="${requestsOf({ token: tokenId, status: "errors" })}">${text}</a>`;
}

function legacy({ tokenId }: RegisteredToken, { legacy: calls }: KeyActivity): Html | string {
  if (calls === 0) return "0";
  return html`<a href="${requestsOf({ token: tokenId, route: "legacy" })}">${calls.toLocaleString("en")}</a>`;
}

/** Against what is allowed in a window, which is a minute unless the gateway is set otherwise. */
function quota({ tokenId, rateLimit }: RegisteredToken, activity: KeyActivity): Html {
  const limit = rateLimit ?? activity.limit;
  const { busiestMinute, limited } = activity;
  const busiest = `${busiestMinute.toLocaleString("en")}${limit === null ? "" : ` of ${limit.toLocaleString("en")}`}`;
  if (limited === 0) return html`${busiest}`;
  const address = requestsOf({ token: tokenId, status: "429" });
  return html`${busiest}, <a href="${address}">${limited.toLocaleString("en")} refused</a>`;
}

export const tokensRoute = route({
  pattern: "/tokens",
  parse: (_, query) => query.get("tenant")?.trim() || undefined,
  page,
});

/** A page is read by a person. */
const maxShown = 200;

async function page(tenantId: string | undefined, { store, log, reader, signal }: Inspection): Promise<Page> {
  const { registry } = await readRegistry(store);
  const own = registry.tokens.filter((token) => tenantId === undefined || token.tenantId === tenantId);
  const tokens = own.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)).slice(0, maxShown);
  if (log === undefined) return tokensPage({ tenantId, tokens, total: own.length, used: null }, reader());
  await log.refresh();
  const ids = tokens.map(({ tokenId }) => tokenId);
  const activity = await keyActivity(log.index, ids, signal);
  const used = { activity, state: log.state() };
  return tokensPage({ tenantId, tokens, total: own.length, used }, reader());
}

/** Those that are revoked come last of their tenant's. */
function sortKey({ tenantId, revokedAt, name, tokenId }: RegisteredToken): string {
  return [tenantId, revokedAt === null ? "0" : "1", name ?? "\uffff", tokenId].join("\u0000");
}
