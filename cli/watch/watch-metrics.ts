import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { RunReport } from "../../schemas/generated/types.ts";
import type { RunKind } from "./watch-builds.ts";

export interface MetricSources {
  readonly queueTenants: () => number;
  readonly isListening: () => boolean;
  /** Tenant → when its live snapshot was last found to be what the source says, in milliseconds since 1970. */
  readonly confirmedAtMs: ReadonlyMap<string, number>;
}

export interface WatchMetrics {
  run(report: RunReport, kind: RunKind): void;
  /** The Prometheus text of this moment. */
  text(): Promise<string>;
  readonly contentType: string;
}

export function createWatchMetrics(sources: MetricSources): WatchMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const runs = new Counter({
    name: "builder_runs_total",
    help: "Runs, of a told tenant or of all, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "builder_run_duration_seconds",
    help: "How long runs took, by kind: of a told tenant, or a round of all.",
    labelNames: ["kind"],
    buckets: [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800],
    registers,
  });
  new Gauge({
    name: "builder_queue_tenants",
    help: "Tenants that wait for a build.",
    registers,
    collect() {
      this.set(sources.queueTenants());
    },
  });
  new Gauge({
    name: "builder_notifications_connected",
    help: "1 while changes are heard of, 0 while builds wait for the interval.",
    registers,
    collect() {
      this.set(sources.isListening() ? 1 : 0);
    },
  });
  new Gauge({
    name: "builder_tenant_confirmed_timestamp_seconds",
    help: `When the source was last read to the effect that the live snapshot is what it says, of the ${maxTenants} tenants where that is longest ago.`,
    labelNames: ["tenant"],
    registers,
    collect() {
      this.reset();
      const oldest = [...sources.confirmedAtMs].sort(([, a], [, b]) => a - b).slice(0, maxTenants);
      for (const [tenant, atMs] of oldest) this.set({ tenant }, atMs / 1000);
    },
  });
  return {
    run({ outcome, durationMs }, kind) {
      runs.inc({ outcome });
      durations.observe({ kind }, durationMs / 1000);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Labels must not grow without bound. */
const maxTenants = 1000;
