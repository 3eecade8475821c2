import { Counter, Gauge, Histogram } from "prom-client";
import { createAdminServer } from "../../../core/process/admin-server.ts";
import { listen } from "../../../core/process/listen.ts";
import { createMetricsRegistry } from "../../../core/process/metrics-registry.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { type Shell, settingsOf } from "../../shell/shell.ts";
import { createBuilderGauges, runOutcomes } from "../report/builder-gauges.ts";

/** `notified`: the run of a tenant that a notification named. */
export type RunKind = "notified" | "round";

/** What a watch shows of itself when the listener is asked. */
interface WatchState {
  /** Tenants that wait for a build. */
  readonly waiting: () => number;
  /** Tenants with a build that is overdue. */
  readonly overdue: () => number;
  readonly isListening: boolean;
  readonly isUnrecorded: () => boolean;
}

/** Runs with the listener for health and metrics (P118) that settings ask for. `use` tells of ended runs. */
export async function withWatchAdmin(
  shell: Shell,
  store: ObjectStore,
  intervalMs: number,
  state: WatchState,
  use: (onRunEnded: (report: RunReport, kind: RunKind) => void) => Promise<void>,
): Promise<void> {
  const { adminHost: host, watchAdminPort: port, adminHostNames } = settingsOf(shell);
  if (port === undefined) return await use(() => {});
  const health = new RoundHealth(intervalMs);
  const metrics = createWatchMetrics(state, store);
  const server = createAdminServer({
    hostNames: [host, ...adminHostNames],
    notReadyCause: () => health.notReadyCause(performance.now()),
    metrics,
  });
  try {
    const address = await listen(server, { host, port, setting: "ADMIN_HOST or WATCH_ADMIN_PORT" });
    shell.stderr.write(`partner-programs: health and metrics on ${address}\n`);
    await use((report, kind) => {
      if (kind === "round") health.roundEnded(performance.now(), report.durationMs, report.failure?.code);
      metrics.runEnded(report, kind);
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** A watch is ready when a round got through within three intervals and twice that round's length. */
export class RoundHealth {
  readonly #intervalMs: number;
  #why = "";
  #last: { readonly endedMs: number; readonly tookMs: number } | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** `failureCode`: why the whole round failed; `undefined` when it got through, single tenants aside. */
  roundEnded(nowMs: number, tookMs: number, failureCode: string | undefined): void {
    this.#why = failureCode === undefined ? "" : `; the last one failed: ${failureCode}`;
    if (failureCode === undefined) this.#last = { endedMs: nowMs, tookMs };
  }

  /** Why it is not ready; `undefined` while it is. */
  notReadyCause(nowMs: number): string | undefined {
    if (this.#last === undefined) return `no round of all tenants has got through yet${this.#why}`;
    const ageMs = nowMs - this.#last.endedMs;
    if (ageMs <= 3 * this.#intervalMs + 2 * this.#last.tookMs) return undefined;
    return `the last round of all tenants that got through ended ${Math.round(ageMs / 1000)} s ago${this.#why}`;
  }
}

function createWatchMetrics(state: WatchState, store: ObjectStore) {
  const registry = createMetricsRegistry();
  const metric = (name: string, help: string, ...labelNames: readonly string[]) => {
    return { name: `builder_${name}`, help, labelNames: [...labelNames], registers: [registry] };
  };
  const gauges = createBuilderGauges(registry);
  const runs = new Counter(metric("runs_total", "Runs, of all tenants or of some, by outcome.", "outcome"));
  for (const outcome of runOutcomes) runs.inc({ outcome }, 0);
  const durationHelp =
    "How long runs took, by kind: a round of all tenants, or the run of a notified tenant.";
  const durations = new Histogram({
    ...metric("run_duration_seconds", durationHelp, "kind"),
    buckets: [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800],
  });
  const queue = new Gauge(metric("queue_tenants", "Tenants that wait for a build."));
  const overdueHelp = "Tenants whose builds take so long that the others do not wait for them.";
  const overdue = new Gauge(metric("tenants_overdue", overdueHelp));
  const connectedHelp = "1 while it is proven that changes are heard, 0 while they wait for the interval.";
  const connected = new Gauge(metric("notifications_connected", connectedHelp));
  const unrecordedHelp =
    "1 while reports of runs, or the age of the data in runs/confirmed.json and runs/last.json, cannot be stored.";
  const unrecorded = new Gauge(metric("runs_unrecorded", unrecordedHelp));
  return {
    runEnded(report: RunReport, kind: RunKind): void {
      const { outcome, durationMs, finishedAt } = report;
      runs.inc({ outcome });
      durations.observe({ kind }, durationMs / 1000);
      gauges.runEnded(kind, outcome, durationMs, new Date(finishedAt));
      gauges.tenantsBuilt(report);
    },
    /** The Prometheus text of this moment. */
    async text(): Promise<string> {
      queue.set(state.waiting());
      overdue.set(state.overdue());
      connected.set(state.isListening ? 1 : 0);
      unrecorded.set(state.isUnrecorded() ? 1 : 0);
      // While the store is away, the last times stay.
      await gauges.readStore(store, AbortSignal.timeout(maxStoreWaitMs)).catch(() => {});
      return await registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** A collector waits for 10 seconds, as a rule. */
const maxStoreWaitMs = 2000;
