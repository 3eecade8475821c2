import type { TokenId } from "../core/ids.ts";
import type { Quota } from "./quota.ts";

/**
 * Counts answers by token, and how much of its quota each token has used. So the metrics show who uses the API, whose requests
 * fail, and who will soon be refused.
 */
export interface TokenTally {
  /** `quota`: the token's quota after this request, if the request was counted. `nowMs`: monotonic. */
  add(tokenId: TokenId, status: number, quota: Quota | undefined, nowMs: number): void;
  /** Lines of the Prometheus text format. */
  lines(nowMs: number): string[];
}

/**
 * The first `maxTokens` tokens that make requests have counts of their own for as long as the process lives. The rest share
 * one, since labels must not grow without bound and a count must never fall.
 */
export function createTokenTally(maxTokens = 1000): TokenTally {
  const tokens = new Map<string, TokenCounts>();
  const rest = newCounts();

  function newToken(tokenId: TokenId): TokenCounts {
    if (tokens.size >= maxTokens) return rest;
    const counts = newCounts();
    tokens.set(tokenId, counts);
    return counts;
  }

  return {
    add(tokenId, status, quota, nowMs) {
      const counts = tokens.get(tokenId) ?? newToken(tokenId);
      if (status < 300) counts.successes += 1;
      else if (status < 500) counts.refusals += 1;
      else counts.faults += 1;
      if (quota !== undefined) notePeak(counts, (quota.limit - quota.remaining) / quota.limit, nowMs);
    },

    lines(nowMs) {
      const all = [...tokens, ["other", rest] as const];
      const peaks = all
        .map(([token, counts]) => ({ token, peak: peakOf(counts, nowMs) }))
        .filter(({ peak }) => peak > 0)
        .sort((a, b) => b.peak - a.peak)
        .slice(0, maxPeaks);
      return [
        `# HELP ${counter} Answers to requests with a token of the registry, by token and class of the HTTP status.`,
        `# TYPE ${counter} counter`,
        ...all.flatMap(([token, counts]) => tokenLines(token, counts)),
        `# HELP ${gauge} The largest part of its quota that a token has used within the last two minutes, of the ${maxPeaks} tokens where it is largest.`,
        `# TYPE ${gauge} gauge`,
        ...peaks.map(({ token, peak }) => `${gauge}{token="${token}"} ${peak}`),
      ];
    },
  };
}

interface TokenCounts {
  successes: number;
  refusals: number;
  faults: number;
  /** The peak of the minute that ends at `peakEndsMs`; `peakBefore` is that of the minute before. */
  peak: number;
  peakBefore: number;
  peakEndsMs: number;
}

const counter = "gateway_token_requests_total";
const gauge = "gateway_token_quota_used_ratio";
const minuteMs = 60_000;
const maxPeaks = 100;

function newCounts(): TokenCounts {
  return {
    successes: 0,
    refusals: 0,
    faults: 0,
    peak: 0,
    peakBefore: 0,
    peakEndsMs: Number.NEGATIVE_INFINITY,
  };
}

/** A peak is kept for up to two minutes, so that a scrape once a minute sees it. */
function notePeak(counts: TokenCounts, usedShare: number, nowMs: number): void {
  if (nowMs >= counts.peakEndsMs) {
    counts.peakBefore = nowMs - counts.peakEndsMs < minuteMs ? counts.peak : 0;
    counts.peak = 0;
    counts.peakEndsMs = nowMs + minuteMs;
  }
  if (usedShare > counts.peak) counts.peak = usedShare;
}

function peakOf({ peak, peakBefore, peakEndsMs }: TokenCounts, nowMs: number): number {
  if (nowMs < peakEndsMs) return Math.max(peak, peakBefore);
  return nowMs - peakEndsMs < minuteMs ? peak : 0;
}

function tokenLines(token: string, { successes, refusals, faults }: TokenCounts): string[] {
  const classes = [
    ["2xx", successes],
    ["4xx", refusals],
    ["5xx", faults],
  ] as const;
  return classes.flatMap(([status, count]) =>
    count === 0 ? [] : [`${counter}{token="${token}",status="${status}"} ${count}`],
  );
}
