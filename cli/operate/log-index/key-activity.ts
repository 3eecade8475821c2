import type { LogIndex } from "./log-index.ts";
import { idDigest, routeNumber } from "./request-columns.ts";

/** What one access key did, according to the logs. */
export interface KeyActivity {
  readonly requests: number;
  /** Requests that were answered with 400 or above. */
  readonly errors: number;
  /** Requests of the deprecated resource. */
  readonly legacy: number;
  /** Requests that were refused for exceeding the limit. */
  readonly limited: number;
  /** `null` when the logs have no request of the key. */
  readonly lastSeenMs: number | null;
  /** The most requests within a minute, in the last day of the logs. */
  readonly busiestMinute: number;
  /** The latest limit of requests per window; `null` when it is unknown. */
  readonly limit: number | null;
}

const minuteMs = 60_000;
const minutesOfDay = 1440;

/** An activity that is still counted. */
type Counted = { -readonly [Name in keyof KeyActivity]: KeyActivity[Name] };

/**
 * Counts the requests of these keys, and returns the `limit` keys with the most requests, the busiest first. Memory grows with
 * the number of keys.
 */
export async function busiestKeys(
  index: LogIndex,
  tokenIds: readonly string[],
  limit: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, KeyActivity>> {
  const counts = new Map<number, Counted>(tokenIds.map((id) => [idDigest(id), nothing()]));
  const legacyRoute = routeNumber("legacy");
  await index.scan({}, signal, ({ token, status, route, timeMs, limit }, { rows }) => {
    for (let row = 0; row < rows; row += 1) {
      const counted = counts.get(token[row] ?? 0);
      if (counted === undefined) continue;
      const at = timeMs[row] ?? 0;
      counted.requests += 1;
      if ((status[row] ?? 0) >= 400) counted.errors += 1;
      if (status[row] === 429) counted.limited += 1;
      if (route[row] === legacyRoute) counted.legacy += 1;
      if (counted.lastSeenMs === null || at > counted.lastSeenMs) {
        counted.lastSeenMs = at;
        counted.limit = limit[row] || counted.limit;
      }
    }
  });
  const requestsOf = (id: string): number => counts.get(idDigest(id))?.requests ?? 0;
  const busiest = tokenIds.toSorted((a, b) => requestsOf(b) - requestsOf(a)).slice(0, limit);
  const minutes = await minutesOfLastDay(index, new Set(busiest.map(idDigest)), signal);
  return new Map(
    busiest.map((id) => {
      const busiestMinute = Math.max(0, ...(minutes.get(idDigest(id)) ?? []));
      return [id, { ...(counts.get(idDigest(id)) ?? nothing()), busiestMinute }];
    }),
  );
}

/** The requests of these keys in each minute of the last day of the logs. */
async function minutesOfLastDay(
  index: LogIndex,
  digests: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Uint32Array>> {
  const minutes = new Map<number, Uint32Array>();
  const { covers } = index;
  const fromMs = covers === null ? 0 : Date.parse(covers.to) - (minutesOfDay - 1) * minuteMs;
  const firstMinute = Math.floor(fromMs / minuteMs);
  await index.scan({ fromMs }, signal, ({ token, timeMs }, { rows }) => {
    for (let row = 0; row < rows; row += 1) {
      const digest = token[row] ?? 0;
      if (!digests.has(digest)) continue;
      const minute = Math.floor((timeMs[row] ?? 0) / minuteMs) - firstMinute;
      if (minute < 0 || minute >= minutesOfDay) continue;
      let own = minutes.get(digest);
      if (own === undefined) {
        own = new Uint32Array(minutesOfDay);
        minutes.set(digest, own);
      }
      own[minute] = (own[minute] ?? 0) + 1;
    }
  });
  return minutes;
}

function nothing(): Counted {
  return { requests: 0, errors: 0, legacy: 0, limited: 0, lastSeenMs: null, busiestMinute: 0, limit: null };
}
