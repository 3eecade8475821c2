import { Failure } from "../../core/failure.ts";
import { parseTenantId, parseTokenId, type TokenId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { printable } from "../../core/printable.ts";
import { type RegisteredToken, tokenStatus } from "../../core/token-registry.ts";
import type { Audit } from "../operate/audit/audit.ts";
import { type Done, recordedChange } from "../operate/audit/recorded-change.ts";
import { type LogSource, readLogs } from "../operate/gateway-log/open-log.ts";
import { type RequestLogLine, requestsIn } from "../operate/gateway-log/request-line.ts";
import { assertPublished } from "../operate/tenants/known-tenant.ts";
import { editRegistry, readRegistry } from "../operate/tokens/edit-registry.ts";
import {
  activeToken,
  latestEnd,
  revoked,
  tokenMetadata,
  unrevoked,
  withEnd,
} from "../operate/tokens/issue-token.ts";
import { type Layout, layoutOf, numbers, table, wrapped } from "../output/layout.ts";
import { exactTime, numberText, relativeAndExact, relativeTime } from "../output/words.ts";
import { printJson, settingsOf, withStore } from "../shell/shell.ts";
import { argument, command, flag, json, repeatedArgument, required, storeCommand, value } from "./command.ts";
import { instantAfter, instantForms, logFlag, logSources, reason } from "./option-values.ts";

/** `token expire`: gives a token an end, so that it overlaps with its successor while a partner changes over (P84). */
export const tokenExpire = command(
  {
    tokenId: argument("the token to end", parseTokenId),
    at: required("<when>", `when it ends: ${instantForms}`, instantAfter),
    reason,
    json,
  },
  async (shell, { tokenId, at, reason, json }) => {
    const now = shell.now();
    latestEnd(settingsOf(shell), now, {
      option: "--at",
      at,
      past: ". To end a token now, use `token revoke`.",
    });
    const expiresAt = at.toISOString();
    let before: RegisteredToken | undefined;
    const request = { command: "token expire", tenants: [], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      await editRegistry(store, audit, (tokens) => {
        before = activeToken(tokens, tokenId, now);
        return withEnd(tokens, before, expiresAt);
      });
      const say = () => {
        if (before === undefined) throw new Failure("internal", "No token was looked at.");
        const { tenantId, expiresAt: previousExpiresAt } = before;
        if (json) return printJson(shell, { ...tokenMetadata({ ...before, expiresAt }), previousExpiresAt });
        const was = previousExpiresAt === null ? "never" : exactTime(previousExpiresAt);
        const ends = relativeAndExact(expiresAt, layoutOf(shell));
        shell.stderr.write(`Token ${tokenId} of tenant ${tenantId} ends ${ends}; before: ${was}.\n`);
      };
      return { say };
    });
  },
);

/** `token revoke`: ends tokens in one write, so that either all or none of them end. */
export const tokenRevoke = command(
  {
    tokenId: repeatedArgument("the tokens to end; required without --tenant", parseTokenId),
    tenant: value("<id>", "all tokens of this tenant instead", parseTenantId),
    reason,
    json,
  },
  async (shell, { tokenId: named, tenant, reason, json }) => {
    if ((tenant === undefined) === (named.length === 0)) {
      throw new Failure("usage", "Name the tokens to end, or a tenant with --tenant; not both.");
    }
    const now = shell.now();
    const request = { command: "token revoke", tenants: tenant === undefined ? [] : [tenant], reason };
    const end = async (store: ObjectStore, audit: Audit): Promise<Done> => {
      let ended: readonly TokenId[] = named;
      let isKnown = true;
      await editRegistry(store, audit, (tokens) => {
        // Each attempt reads the tenant's tokens again, so that a token that was just issued is not missed (P84).
        if (tenant !== undefined) {
          isKnown = tokens.some(({ tenantId }) => tenantId === tenant);
          ended = unrevoked(tokens, tenant);
        }
        return ended.length === 0 ? tokens : revoked(tokens, ended, now);
      });
      if (tenant !== undefined && !isKnown) await assertPublished(store, tenant, shell.signal);
      const say = () => {
        if (json) printJson(shell, { revoked: ended });
        else if (ended.length > 0) shell.stderr.write(`Revoked: ${ended.join(", ")}\n`);
        else shell.stderr.write(`Tenant ${tenant} has no token that is not revoked; nothing was done.\n`);
      };
      return { say };
    };
    // Unlike other commands, this one accepts a store that does not honour conditional writes, since such a store must not keep a
    // token alive. The conditions are proved only when this command is the first to write to the store.
    return await recordedChange(shell, request, end, false);
  },
);

/** `token list`: every token ever issued, with its status. Plaintexts are stored nowhere, so it cannot show them. */
export const tokenList = storeCommand(
  { tenant: value("<id>", "only this tenant's", parseTenantId), json },
  async (shell, { tenant, json }, store) => {
    const now = shell.now();
    const { registry } = await readRegistry(store);
    const tokens = registry.tokens.filter(({ tenantId }) => tenant === undefined || tenantId === tenant);
    // No token names the tenant, so only a snapshot can show that its id is right.
    if (tenant !== undefined && tokens.length === 0) await assertPublished(store, tenant, shell.signal);
    const listed = tokens.map((token) => listedToken(token, now));
    if (json) printJson(shell, listed);
    else if (tokens.length > 0) shell.stdout.write(tokenListText(tokens, layoutOf(shell)));
    else shell.stderr.write("No tokens. Issue one with `token create --tenant ID`.\n");
  },
);

/** An element of `token list --json`. */
function listedToken(token: RegisteredToken, now: Date) {
  return { ...tokenMetadata(token), status: tokenStatus(token, now), revokedAt: token.revokedAt };
}

function tokenListText(tokens: readonly RegisteredToken[], { now, zone }: Layout): string {
  return table(
    ["TOKEN", "TENANT", "STATUS", "NAME", "SCOPES", numbers("LIMIT"), "CREATED", "EXPIRES"],
    tokens.map((token) => [
      token.tokenId,
      token.tenantId,
      tokenStatus(token, now),
      printable(token.name ?? "-"),
      token.scopes.join(" "),
      token.rateLimit === null ? "-" : String(token.rateLimit),
      exactTime(token.createdAt, zone),
      token.expiresAt === null ? "never" : exactTime(token.expiresAt, zone),
    ]),
  );
}

/** `token usage`: who requests what, according to the gateway's log. */
export const tokenUsage = command(
  { log: logFlag(), all: flag("one line per token, resource, status and day"), json },
  async (shell, { log, all, json }) => {
    const { rows, covers, faults } = await readUsage(logSources(shell, log), shell.signal);
    for (const fault of faults) shell.stderr.write(`partner-programs: ${printable(fault)}\n`);
    if (covers === null) {
      const what = "The log has no request as the gateway logs them.";
      throw new Failure("not_found", `${what} Is it the gateway's log, with LOG_LEVEL=info?`);
    }
    const { registry } = await withStore(settingsOf(shell), readRegistry);
    const usage = usageByToken(rows, registry.tokens, covers.to, shell.now());
    if (json) {
      const idle = usage.idle.map(({ tokenId, tenantId, name }) => ({ tokenId, tenantId, name }));
      const { tokens, legacyCallers } = usage;
      printJson(shell, { ...covers, tokens, idle, legacyCallers, rows, faults });
    } else if (all) shell.stdout.write(usageRowsText(rows));
    else shell.stdout.write(usageText(usage, covers, layoutOf(shell)));
  },
);

export type TokenUsage = ReturnType<typeof usageByToken>;

/**
 * Puts the counted requests and the registry together: tokens with the most requests first, `null` for requests without a token
 * that the gateway knew; and the active tokens without any. `until`: the last request of the log, RFC 3339. Pure.
 */
export function usageByToken(
  rows: readonly UsageRow[],
  registered: readonly RegisteredToken[],
  until: string,
  now: Date,
) {
  const names = new Map<string | null, string | null>(registered.map(({ tokenId, name }) => [tokenId, name]));
  const byToken = new Map<string | null, ReturnType<typeof noRequests>>();
  for (const { tokenId, tenantId, resource, status, requests, lastSeen } of rows) {
    const own = byToken.get(tokenId) ?? noRequests(tokenId, tenantId, names.get(tokenId) ?? null);
    byToken.set(tokenId, own);
    own.requests += requests;
    add(own.byResource, resource, requests);
    add(own.byClass, `${Math.floor(status / 100)}xx`, requests);
    if (lastSeen > own.lastSeen) own.lastSeen = lastSeen;
  }
  // Operators revoke idle tokens, so a token that was issued after the log's end must not count as idle.
  const isIdle = (token: RegisteredToken): boolean =>
    !byToken.has(token.tokenId) &&
    tokenStatus(token, now) === "active" &&
    Date.parse(token.createdAt) <= Date.parse(until);
  const inOrder = [...byToken.values()].sort(
    (a, b) => b.requests - a.requests || (String(a.tokenId) < String(b.tokenId) ? -1 : 1),
  );
  const legacy = rows.flatMap(({ resource, tokenId }) => (resource === "legacy" ? (tokenId ?? []) : []));
  return { tokens: inOrder, idle: registered.filter(isIdle), legacyCallers: [...new Set(legacy)] };
}

function noRequests(tokenId: string | null, tenantId: string | null, name: string | null) {
  const byResource: Record<string, number> = {};
  const byClass: Record<string, number> = { "2xx": 0, "4xx": 0, "5xx": 0 };
  return { tokenId, tenantId, name, requests: 0, byResource, byClass, lastSeen: "" };
}

function add(sums: Record<string, number>, name: string, count: number): void {
  sums[name] = (sums[name] ?? 0) + count;
}

/** The keys with requests, the idle keys, and the keys that still call the deprecated resource. */
export function usageText(
  { tokens, idle, legacyCallers }: TokenUsage,
  covers: { readonly from: string; readonly to: string },
  { style, width, now }: Layout,
): string {
  const label = ({ tokenId, name }: Pick<TokenUsage["tokens"][number], "tokenId" | "name">): string =>
    printable(name === null ? String(tokenId) : `${tokenId} (${name})`);
  const legacy = tokens
    .filter(({ tokenId }) => tokenId !== null && legacyCallers.includes(tokenId))
    .map(label);
  const notes = [
    legacy.length === 0
      ? "Nobody calls the deprecated resource."
      : style.doubtful(`Still calling the deprecated resource: ${legacy.join(", ")}.`),
    idle.length === 0
      ? "No active token is idle."
      : `Idle in this time, though active: ${idle.map(label).join(", ")}.`,
  ];
  const counts = ["REQUESTS", "LIST", "DETAIL", "LEGACY", "2XX", "4XX", "5XX"].map(numbers);
  const rows = tokens.map(({ tokenId, name, tenantId, requests, byResource, byClass, lastSeen }) => {
    const { list, detail, legacy } = byResource;
    const cells = [requests, list, detail, legacy, byClass["2xx"], byClass["4xx"], byClass["5xx"]];
    return [
      printable(tokenId ?? "(none)"),
      printable(name ?? "-"),
      printable(tenantId ?? "-"),
      ...cells.map((count) => numberText(count ?? 0)),
      relativeTime(new Date(lastSeen), now),
    ];
  });
  return [
    `${exactTime(covers.from)} to ${exactTime(covers.to)}\n\n`,
    table(["TOKEN", "NAME", "TENANT", ...counts, "LAST SEEN"], rows),
    "\n",
    ...notes.flatMap((note) => wrapped(note, width)).map((line) => `${line}\n`),
  ].join("");
}

export function usageRowsText(rows: readonly UsageRow[]): string {
  return table(
    ["TOKEN", "RESOURCE", "STATUS", "DAY", numbers("REQUESTS"), "LAST SEEN"],
    rows.map(({ tokenId, resource, status, day, requests, lastSeen }) => [
      printable(tokenId ?? "(none)"),
      printable(resource),
      String(status),
      day,
      numberText(requests),
      exactTime(lastSeen),
    ]),
  );
}

/** How often one token got one status from one resource on one day. */
export type UsageRow = Readonly<ReturnType<typeof unusedRow>>;

/** `tokenId`: `null` for requests without a known token; `day`: `YYYY-MM-DD`, UTC. */
function unusedRow({ tokenId, tenantId, route: resource, status, time: lastSeen }: RequestLogLine) {
  const day = lastSeen.slice(0, "YYYY-MM-DD".length);
  return { tokenId, tenantId, resource, status, day, requests: 0, lastSeen };
}

/**
 * Counts every request of the logs, by token, resource, status and day. The logs are streamed, so memory grows with the number of
 * rows, not with that of requests. `covers`: the first and the last request. `faults`: why some of several logs could not be read
 * to their end. What was read of them counts.
 */
export async function readUsage(logs: readonly LogSource[], signal: AbortSignal) {
  const rows = new Map<string, ReturnType<typeof unusedRow>>();
  let [from, to] = ["", ""];
  const count = (block: Buffer): void => {
    for (const line of requestsIn(block)) {
      const { time } = line;
      const unused = unusedRow(line);
      const key = `${unused.tokenId ?? ""} ${unused.resource} ${unused.status} ${unused.day}`;
      const row = rows.get(key) ?? unused;
      rows.set(key, row);
      row.requests += 1;
      // The lines of several gateways need not be in order.
      if (time > row.lastSeen) row.lastSeen = time;
      if (from === "" || time < from) from = time;
      if (time > to) to = time;
    }
  };
  const faults = await readLogs(logs, count, signal);
  const inOrder = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return { rows: inOrder, covers: to === "" ? null : { from, to }, faults };
}
