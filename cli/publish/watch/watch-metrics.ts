import { Counter, Gauge, Histogram } from "prom-client";
import { createMetricsRegistry } from "../../../core/metrics-registry.ts";
import { buildInfo } from "../../../core/package-version.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { builderMetrics, durationBuckets, leastConfirmed, runOutcomes } from "../report/builder-metrics.ts";
import type { RunKind } from "./watch-builds.ts";

export interface MetricSources {
  readonly queueTenants: () => number;
  readonly isListening: () => boolean;
  /** Tenant → when its live snapshot was last found to be what the source says, in milliseconds since 1970. */
  readonly confirmedAtMs: ReadonlyMap<string, number>;
  /** When this process began a new store, if it did. */
  readonly storeBegunAt: () => Date | undefined;
}

export function createWatchMetrics(sources: MetricSources) {
  const registry = createMetricsRegistry();
  const registers = [registry];
  new Gauge({
    name: "builder_build_info",
    help: "1, labelled with the version of this program, a digest of its code, and the version of Node.js.",
    labelNames: ["version", "code", "node"],
    registers,
  }).set({ ...buildInfo() }, 1);
  const runs = new Counter({ ...builderMetrics.runs, labelNames: ["outcome"], registers });
  for (const outcome of runOutcomes) runs.inc({ outcome }, 0);
  const durations = new Histogram({
    ...builderMetrics.duration,
    labelNames: ["kind"],
    buckets: [...durationBuckets],
    registers,
  });
  const lastRun = new Gauge({ ...builderMetrics.lastRun, labelNames: ["kind"], registers });
  const lastStatus = new Gauge({ ...builderMetrics.lastStatus, labelNames: ["kind", "outcome"], registers });
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
    ...builderMetrics.confirmed,
    labelNames: ["tenant"],
    registers,
    collect() {
      this.reset();
      for (const [tenant, atMs] of leastConfirmed(sources.confirmedAtMs)) this.set({ tenant }, atMs / 1000);
    },
  });
  new Gauge({
    ...builderMetrics.storeBegun,
    registers,
    collect() {
      this.set((sources.storeBegunAt()?.getTime() ?? 0) / 1000);
    },
  });
  return {
    run(report: RunReport, kind: RunKind): void {
      runs.inc({ outcome: report.outcome });
      durations.observe({ kind }, report.durationMs / 1000);
      lastRun.set({ kind }, Date.parse(report.finishedAt) / 1000);
      for (const outcome of runOutcomes) {
        lastStatus.set({ kind, outcome }, outcome === report.outcome ? 1 : 0);
      }
    },
    /** The Prometheus text of this moment. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
