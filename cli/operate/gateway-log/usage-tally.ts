import type { LogSource } from "./open-log.ts";
import { type RequestLogLine, requestsIn } from "./request-line.ts";
import { readLogs } from "./whole-lines.ts";

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

/** Counts requests. Memory grows with the number of tokens, resources, statuses and days, not with that of requests. */
class UsageTally {
  readonly #rows = new Map<string, { -readonly [Name in keyof UsageRow]: UsageRow[Name] }>();
  #from: string | undefined;
  #to: string | undefined;

  add(line: RequestLogLine): void {
    const { time, tokenId, tenantId, route, status } = line;
    const day = time.slice(0, "YYYY-MM-DD".length);
    const key = `${tokenId ?? ""} ${route} ${status} ${day}`;
    const counted = this.#rows.get(key);
    if (counted === undefined) {
      this.#rows.set(key, { tokenId, tenantId, resource: route, status, day, requests: 1, lastSeen: time });
    } else {
      counted.requests += 1;
      // The lines of several gateways need not be in order.
      if (time > counted.lastSeen) counted.lastSeen = time;
    }
    if (this.#from === undefined || time < this.#from) this.#from = time;
    if (this.#to === undefined || time > this.#to) this.#to = time;
  }

  /** Ordered by token, resource, status and day. */
  get rows(): readonly UsageRow[] {
    return [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  /** The times of the first and the last request; `null` without any. */
  get covers(): { readonly from: string; readonly to: string } | null {
    return this.#from === undefined || this.#to === undefined ? null : { from: this.#from, to: this.#to };
  }
}

/**
 * Counts every request of the logs. The logs are streamed, so memory does not grow with them. `faults`: why some of several logs
 * could not be read to their end. What was read of them counts.
 */
export async function readUsage(logs: readonly LogSource[], signal: AbortSignal) {
  const tally = new UsageTally();
  const count = (block: Buffer): void => {
    for (const line of requestsIn(block)) tally.add(line);
  };
  const faults = await readLogs(logs, count, signal);
  return { rows: tally.rows, covers: tally.covers, faults };
}
