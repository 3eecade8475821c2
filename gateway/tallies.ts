import type { TokenId } from "../core/ids.ts";
import type { Route } from "./exchange.ts";
import type { Quota } from "./quota.ts";

type Sample = readonly [labels: Readonly<Record<string, string | number>>, value: number];

/**
 * A metric in Prometheus' text format, without or with labels. No label's value needs escaping: all are ids, numbers, or words of
 * this program.
 */
export function metricText(
  type: "counter" | "gauge",
  name: string,
  help: string,
  samples: number | Iterable<Sample>,
): string {
  const all: Iterable<Sample> = typeof samples === "number" ? [[{}, samples]] : samples;
  return headText(type, name, help) + [...all].map((sample) => sampleLine(name, sample)).join("");
}

function headText(type: string, name: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function sampleLine(name: string, [labels, value]: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  const labelled = pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`;
  return `${labelled} ${value === Number.POSITIVE_INFINITY ? "+Inf" : value}\n`;
}

/**
 * Counts and times requests in plain numbers: with the labels of prom-client's counters and histograms a request would take 1.3 µs
 * longer, a twentieth of a warm detail.
 */
export interface RequestTally {
  add(route: Route, status: number, durationMs: number): void;
  /** The current values in Prometheus' text format. */
  text(): string;
}

export function createRequestTally(): RequestTally {
  const tallies = new Map<Route, RouteTally>(
    (["list", "detail", "legacy", "unknown"] as const).map((route) => [route, newTally()]),
  );
  return {
    add(route, status, durationMs) {
      const tally = tallies.get(route);
      if (tally === undefined) return;
      tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
      tally.sumMs += durationMs;
      let bucket = 0;
      while (durationMs > (bucketsMs[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
      tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1;
    },

    text() {
      const counts = [...tallies].flatMap(([route, { statuses }]) =>
        [...statuses].map(([status, count]): Sample => [{ route, status }, count]),
      );
      return [
        metricText(
          "counter",
          "gateway_requests_total",
          "Requests answered, refused ones included, by resource and HTTP status.",
          counts,
        ),
        headText(
          "histogram",
          histogram,
          "Time from a request's complete header section to the end of its response.",
        ),
        ...[...tallies].flatMap(([route, tally]) => histogramLines(route, tally)),
      ].join("");
    },
  };
}

interface RouteTally {
  readonly statuses: Map<number, number>;
  /** Requests that took at most the bound of the same index and more than the bound before. The last bucket has no bound. */
  readonly buckets: number[];
  sumMs: number;
}

const histogram = "gateway_request_duration_seconds";
const bucketsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];

function newTally(): RouteTally {
  // W92: these counts begin at 0. An alert would not see an increase if they began with their first request.
  const statuses = new Map([200, 401, 500].map((status) => [status, 0]));
  return { statuses, buckets: Array(bucketsMs.length + 1).fill(0), sumMs: 0 };
}

function histogramLines(route: Route, { buckets, sumMs }: RouteTally): string[] {
  let count = 0;
  const lines = buckets.map((inBucket, at) => {
    count += inBucket;
    const bound = bucketsMs[at];
    return sampleLine(`${histogram}_bucket`, [
      { route, le: bound === undefined ? "+Inf" : bound / 1000 },
      count,
    ]);
  });
  const sum = sampleLine(`${histogram}_sum`, [{ route }, sumMs / 1000]);
  return [...lines, sum, sampleLine(`${histogram}_count`, [{ route }, count])];
}

/**
 * Counts answers by token, and how much of its quota each token has used. So the metrics show who uses the API, whose requests
 * fail, and who will soon be refused.
 */
export interface TokenTally {
  /** `quota`: the token's quota after this request, if the request was counted. `nowMs`: monotonic. */
  add(tokenId: TokenId, status: number, quota: Quota | undefined, nowMs: number): void;
  /** The current values in Prometheus' text format. */
  text(nowMs: number): string;
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

    text(nowMs) {
      const all = [...tokens, ["other", rest] as const];
      const peaks = all
        .map(([token, counts]): Sample => [{ token }, peakOf(counts, nowMs)])
        .filter(([, peak]) => peak > 0)
        .sort(([, a], [, b]) => b - a)
        .slice(0, maxPeaks);
      const answers = metricText(
        "counter",
        "gateway_token_requests_total",
        "Answers to requests with a token of the registry, by token and class of the HTTP status.",
        all.flatMap(([token, counts]) => answerSamples(token, counts)),
      );
      const used = metricText(
        "gauge",
        "gateway_token_quota_used_ratio",
        `The largest part of its quota that a token has used within the last two minutes, of the ${maxPeaks} tokens where it is largest.`,
        peaks,
      );
      return answers + used;
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

function answerSamples(token: string, { successes, refusals, faults }: TokenCounts): readonly Sample[] {
  const samples: readonly Sample[] = [
    [{ token, status: "2xx" }, successes],
    [{ token, status: "4xx" }, refusals],
    [{ token, status: "5xx" }, faults],
  ];
  return samples.filter(([, count]) => count > 0);
}
