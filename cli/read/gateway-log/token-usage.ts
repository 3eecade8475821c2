import { type RegisteredToken, tokenStatus } from "../../../core/documents/token-registry.ts";
import { printable } from "../../../core/ground/printable.ts";
import { type Layout, numbers, table, wrapped } from "../../output/layout.ts";
import { exactTime, numberText, relativeTime } from "../../output/words.ts";
import { type LogSource, readLogs } from "./open-log.ts";
import { type RequestLogLine, requestsIn } from "./request-line.ts";

export type TokenUsage = ReturnType<typeof usageByToken>;

/**
 * Puts the counted requests and the registry together: tokens with the most requests first, `null` for
 * requests without a token that the gateway knew; and the active tokens without any. `until`: the last
 * request of the log, RFC 3339. Pure.
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
 * Counts every request of the logs, by token, resource, status and day. The logs are streamed, so memory
 * grows with the number of rows, not with that of requests. `covers`: the first and the last request.
 * `faults`: why some of several logs could not be read to their end. What was read of them counts.
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
