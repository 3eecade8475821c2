import { Counter, Histogram } from "prom-client";
import type { CauseCode } from "../core/cause-code.ts";
import type { TokenId } from "../core/ids.ts";
import { createMetricsRegistry } from "../core/metrics-registry.ts";
import type { Route } from "./exchange.ts";
import { type MetricSources, registerGauges } from "./gauges.ts";
import type { Quota } from "./quota.ts";
import { createRequestTally, createTokenTally } from "./tallies.ts";

/** Counts and times of what happens, and their text for Prometheus. */
export interface Metrics {
  request(route: Route, status: number, durationMs: number): void;
  /** Counts the request for its token, when it had a token of the registry. `nowMs`: monotonic. */
  tokenRequest(tokenId: TokenId, status: number, quota: Quota | undefined, nowMs: number): void;
  cacheLookup(isHit: boolean): void;
  storeCall(operation: string, outcome: string, durationMs: number): void;
  connectionCut(cause: CauseCode): void;
  lostLogLine(): void;
  /** The current values in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** `attach` connects the gauges. It comes later, since their sources need the metrics themselves. */
export function createMetrics(monotonicMs: () => number): Metrics & { attach(sources: MetricSources): void } {
  const registry = createMetricsRegistry();
  const registers = [registry];
  const requests = createRequestTally();
  const tokens = createTokenTally();
  const lookups = { hit: 0, miss: 0 };
  new Counter({
    name: "gateway_body_cache_lookups_total",
    help: "Look-ups in the body cache by result.",
    labelNames: ["result"],
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(lookups)) this.inc({ result }, count);
    },
  });
  const storeCalls = new Counter({
    name: "gateway_store_calls_total",
    help: "Calls to the object store by operation and outcome.",
    labelNames: ["operation", "outcome"],
    registers,
  });
  const storeSeconds = new Histogram({
    name: "gateway_store_call_duration_seconds",
    help: "Time from a call of the object store to its outcome, bodies not counted.",
    labelNames: ["operation"],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const cuts = new Counter({
    name: "gateway_connections_cut_total",
    help: "Connections that the gateway ended because of what their clients sent, by cause; answers that were cut off are in the log.",
    labelNames: ["cause"],
    registers,
  });
  const lostLines = new Counter({
    name: "gateway_log_lines_lost_total",
    help: "Log lines given up because standard output did not take them.",
    registers,
  });

  return {
    request: requests.add,
    tokenRequest: tokens.add,
    cacheLookup(isHit) {
      lookups[isHit ? "hit" : "miss"] += 1;
    },
    storeCall(operation, outcome, durationMs) {
      storeCalls.inc({ operation, outcome });
      storeSeconds.observe({ operation }, durationMs / 1000);
    },
    connectionCut: (cause) => cuts.inc({ cause }),
    lostLogLine: () => lostLines.inc(),
    text: async () =>
      `${requests.text()}${tokens.lines(monotonicMs()).join("\n")}\n${await registry.metrics()}`,
    contentType: registry.contentType,
    attach: (sources) => registerGauges(registry, sources),
  };
}
