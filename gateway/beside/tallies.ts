import type { TokenId } from "../../core/ground/ids.ts";
import type { Quota } from "../request/quota.ts";

export type Sample = readonly [labels: Readonly<Record<string, string | number>>, value: number];

/** A metric in Prometheus' text format. No label's value needs escaping: all are ids, numbers, our words. */
export function metricText(
  type: "counter" | "gauge",
  name: string,
  help: string,
  samples: number | readonly Sample[],
): string {
  const all: readonly Sample[] = typeof samples === "number" ? [[{}, samples]] : samples;
  return headText(type, name, help) + all.map((sample) => sampleLine(name, sample)).join("");
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
 * Counts and times what happens, in plain numbers: with prom-client's counters and histograms a request would
 * take 1.3 µs longer, a twentieth of a warm detail, and a start a tenth longer. It makes
 * `gateway_<what>s_total` with two labels, and the histogram `gateway_<what>_duration_seconds` with the first
 * of them. `text`: the current values in Prometheus' text format.
 */
export function createTally<First extends string>(
  what: string,
  [outer, inner]: readonly [string, string],
  help: { readonly total: string; readonly duration: string },
) {
  const rows = new Map<First, TallyRow>();
  const histogram = `gateway_${what}_duration_seconds`;

  function newRow(first: First, second: readonly number[] = []): TallyRow {
    const counts = new Map<string | number, number>(second.map((label) => [label, 0]));
    const row = { counts, buckets: bucketsMs.map(() => 0), sumMs: 0 };
    rows.set(first, row);
    return row;
  }

  return {
    /** W92: begins these counts at 0: an alert misses an increase that begins with the first event. */
    begin: newRow,

    add(first: First, second: string | number, durationMs: number): void {
      const row = rows.get(first) ?? newRow(first);
      row.counts.set(second, (row.counts.get(second) ?? 0) + 1);
      row.sumMs += durationMs;
      let bucket = 0;
      while (durationMs > (bucketsMs[bucket] ?? 0)) bucket += 1;
      row.buckets[bucket] = (row.buckets[bucket] ?? 0) + 1;
    },

    text(): string {
      const all = [...rows];
      const counts = all.flatMap(([first, row]) =>
        [...row.counts].map(([second, count]): Sample => [{ [outer]: first, [inner]: second }, count]),
      );
      const times = all
        .flatMap(([first, row]) => histogramLines(histogram, { [outer]: first }, row))
        .join("");
      const totals = metricText("counter", `gateway_${what}s_total`, help.total, counts);
      return totals + headText("histogram", histogram, help.duration) + times;
    },
  };
}

interface TallyRow {
  readonly counts: Map<string | number, number>;
  /** Events that took at most the bound of the same index and more than the bound before. */
  readonly buckets: number[];
  sumMs: number;
}

const bucketsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, Infinity];

function histogramLines(name: string, labels: Sample[0], { buckets, sumMs }: TallyRow): string[] {
  let count = 0;
  const lines = bucketsMs.map((bound, at) => {
    count += buckets[at] ?? 0;
    const le = bound === Infinity ? "+Inf" : bound / 1000;
    return sampleLine(`${name}_bucket`, [{ ...labels, le }, count]);
  });
  const sum = sampleLine(`${name}_sum`, [labels, sumMs / 1000]);
  return [...lines, sum, sampleLine(`${name}_count`, [labels, count])];
}

/**
 * Shows who uses the API, whose requests fail, and who will soon be refused. The tokens after the first
 * `maxTokens` share a count: labels must not grow without bound, and a count must never fall.
 */
export function createTokenTally(maxTokens = 1000) {
  const tokens = new Map<string, TokenCounts>();
  const rest = newCounts();

  function newToken(tokenId: TokenId): TokenCounts {
    if (tokens.size >= maxTokens) return rest;
    const counts = newCounts();
    tokens.set(tokenId, counts);
    return counts;
  }

  return {
    /** `quota`: the token's quota after this request, if the request was counted. `nowMs`: monotonic. */
    add(tokenId: TokenId, status: number, quota: Quota | undefined, nowMs: number): void {
      const counts = tokens.get(tokenId) ?? newToken(tokenId);
      counts[status < 300 ? "2xx" : status < 500 ? "4xx" : "5xx"] += 1;
      if (quota !== undefined) notePeak(counts, (quota.limit - quota.remaining) / quota.limit, nowMs);
    },

    text(nowMs: number): string {
      const all = [...tokens, ["other", rest] as const];
      const answers = all.flatMap(([token, counts]) =>
        statusClasses.map((status): Sample => [{ token, status }, counts[status]]),
      );
      const peaks = all.map(([token, counts]): Sample => [{ token }, peakOf(counts, nowMs)]);
      const largest = peaks.sort(([, a], [, b]) => b - a).slice(0, maxPeaks);
      const isPositive = ([, value]: Sample): boolean => value > 0;
      const answerHelp =
        "Answers to requests with a token of the registry, by token and class of the HTTP status.";
      const peakHelp = `The largest part of its quota that a token has used within the last two minutes, of the ${maxPeaks} tokens where it is largest.`;
      return (
        metricText("counter", "gateway_token_requests_total", answerHelp, answers.filter(isPositive)) +
        metricText("gauge", "gateway_token_quota_used_ratio", peakHelp, largest.filter(isPositive))
      );
    },
  };
}

const statusClasses = ["2xx", "4xx", "5xx"] as const;
const maxPeaks = 100;

/** Answers by class of status, and the largest used part of the quota in this minute and the last. */
interface TokenCounts extends Record<(typeof statusClasses)[number], number> {
  minute: number;
  peak: number;
  peakBefore: number;
}

function newCounts(): TokenCounts {
  return { "2xx": 0, "4xx": 0, "5xx": 0, minute: 0, peak: 0, peakBefore: 0 };
}

const minuteOf = (nowMs: number): number => Math.floor(nowMs / 60_000);

function notePeak(counts: TokenCounts, usedShare: number, nowMs: number): void {
  const minute = minuteOf(nowMs);
  if (minute !== counts.minute) {
    counts.peakBefore = minute === counts.minute + 1 ? counts.peak : 0;
    counts.peak = 0;
    counts.minute = minute;
  }
  if (usedShare > counts.peak) counts.peak = usedShare;
}

/** A peak is shown for one to two minutes, so that a scrape once a minute sees it. */
function peakOf({ minute, peak, peakBefore }: TokenCounts, nowMs: number): number {
  const minutesAgo = minuteOf(nowMs) - minute;
  if (minutesAgo === 0) return Math.max(peak, peakBefore);
  return minutesAgo === 1 ? peak : 0;
}
