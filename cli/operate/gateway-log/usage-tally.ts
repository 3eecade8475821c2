import { type LogSource, readLogs } from "./open-log.ts";
import { requestsIn } from "./request-line.ts";

/** How often one token got one status from one resource on one day. */
export interface UsageRow {
  /** `null` for requests without a known token. */
  readonly tokenId: string | null;
  readonly tenantId: string | null;
  readonly resource: string;
  readonly status: number;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly requests: number;
  readonly lastSeen: string;
}

/**
 * Counts every request of the logs, by token, resource, status and day. The logs are streamed, so memory grows with the number of
 * rows, not with that of requests. `covers`: the first and the last request. `faults`: why some of several logs could not be read
 * to their end. What was read of them counts.
 */
export async function readUsage(logs: readonly LogSource[], signal: AbortSignal) {
  const rows = new Map<string, { -readonly [Name in keyof UsageRow]: UsageRow[Name] }>();
  let [from, to] = ["", ""];
  const count = (block: Buffer): void => {
    for (const { time, tokenId, tenantId, route: resource, status } of requestsIn(block)) {
      const day = time.slice(0, "YYYY-MM-DD".length);
      const key = `${tokenId ?? ""} ${resource} ${status} ${day}`;
      const row = rows.get(key) ?? { tokenId, tenantId, resource, status, day, requests: 0, lastSeen: time };
      rows.set(key, row);
      row.requests += 1;
      // The lines of several gateways need not be in order.
      if (time > row.lastSeen) row.lastSeen = time;
      if (from === "" || time < from) from = time;
      if (time > to) to = time;
    }
  };
  const faults = await readLogs(logs, count, signal);
  const inOrder = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]): UsageRow => row);
  return { rows: inOrder, covers: to === "" ? null : { from, to }, faults };
}
