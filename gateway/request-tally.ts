import type { Route } from "./exchange.ts";

/** Counts and times requests in plain numbers. The labels of a client library would cost half as much as all checks. */
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
      return [
        ...header(
          counter,
          "counter",
          "Requests answered, refused ones included, by resource and HTTP status.",
        ),
        ...[...tallies].flatMap(([route, tally]) => counterLines(route, tally)),
        ...header(
          histogram,
          "histogram",
          "Time from a request's complete header section to the end of its response.",
        ),
        ...[...tallies].flatMap(([route, tally]) => histogramLines(route, tally)),
        "",
      ].join("\n");
    },
  };
}

interface RouteTally {
  readonly statuses: Map<number, number>;
  /** Requests that took at most the bound of the same index and more than the bound before. The last bucket has no bound. */
  readonly buckets: number[];
  sumMs: number;
}

const counter = "gateway_requests_total";
const histogram = "gateway_request_duration_seconds";
const bucketsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];

function newTally(): RouteTally {
  // W92: these counts begin at 0. An alert would not see an increase if they began with their first request.
  const statuses = new Map([200, 401, 500].map((status) => [status, 0]));
  return { statuses, buckets: Array(bucketsMs.length + 1).fill(0), sumMs: 0 };
}

function header(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function counterLines(route: Route, { statuses }: RouteTally): string[] {
  return [...statuses].map(([status, count]) => `${counter}{route="${route}",status="${status}"} ${count}`);
}

function histogramLines(route: Route, { buckets, sumMs }: RouteTally): string[] {
  let count = 0;
  const lines = buckets.map((inBucket, at) => {
    count += inBucket;
    const bound = bucketsMs[at];
    return `${histogram}_bucket{route="${route}",le="${bound === undefined ? "+Inf" : bound / 1000}"} ${count}`;
  });
  return [
    ...lines,
    `${histogram}_sum{route="${route}"} ${sumMs / 1000}`,
    `${histogram}_count{route="${route}"} ${count}`,
  ];
}
