import { Counter, Gauge, Histogram } from "prom-client";
import { createAdminServer } from "../../../core/admin-server.ts";
import { listen } from "../../../core/listen.ts";
import { createMetricsRegistry } from "../../../core/metrics-registry.ts";
import { readStoreIdentity } from "../../../core/store-identity.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { withStore } from "../../shell/with-store.ts";
import { builderMetrics, buildInfoLabels, leastConfirmed, runOutcomes } from "../report/builder-metrics.ts";

/** `notified`: the run of a tenant that a notification named. */
export type RunKind = "notified" | "round";

/** What a watch shows of itself when the listener is asked. */
interface WatchState {
  /** Tenants that wait for a build. */
  readonly waiting: () => number;
  readonly isListening: boolean;
}

interface AdminOptions {
  readonly settings: CliSettings;
  readonly intervalMs: number;
  readonly state: WatchState;
  /** Where the listener is, when the settings ask for one. */
  readonly onAdmin: (address: string) => void;
}

/** Hears of what a watch does, for whoever asks the listener. */
interface WatchAdmin {
  tenantDone(run: TenantRun): void;
  runEnded(report: RunReport, kind: RunKind): Promise<void>;
}

/** Runs with the listener for health, readiness and metrics (P118) that the settings ask for. */
export async function withWatchAdmin(
  { settings, intervalMs, state, onAdmin }: AdminOptions,
  use: (admin: WatchAdmin) => Promise<void>,
): Promise<void> {
  const { adminHost: host, watchAdminPort: port, adminHostNames } = settings;
  if (port === undefined) return await use({ tenantDone() {}, async runEnded() {} });
  const health = new RoundHealth(intervalMs);
  const metrics = createWatchMetrics(state, settings);
  const server = createAdminServer({
    hostNames: [host, ...adminHostNames],
    notReadyCause: () => health.notReadyCause(performance.now()),
    metrics,
  });
  try {
    onAdmin(await listen(server, { host, port, setting: "ADMIN_HOST or WATCH_ADMIN_PORT" }));
    await use({
      tenantDone: metrics.tenantDone,
      async runEnded(report, kind) {
        if (kind === "round") health.roundEnded(performance.now(), report.durationMs, report.failure?.code);
        await metrics.runEnded(report, kind);
      },
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** A watch is ready when a round has got through within the last three intervals and twice the length of that round. */
export class RoundHealth {
  readonly #intervalMs: number;
  #why = "";
  #last: { readonly endedMs: number; readonly tookMs: number } | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** `failureCode`: why the round failed as a whole; `undefined` when it got through, also when single tenants failed. */
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

function createWatchMetrics(state: WatchState, settings: CliSettings) {
  const registry = createMetricsRegistry();
  const registers = [registry];
  const labels = buildInfoLabels();
  new Gauge({ ...builderMetrics.buildInfo, labelNames: Object.keys(labels), registers }).set(labels, 1);
  const runs = new Counter({ ...builderMetrics.runs, labelNames: ["outcome"], registers });
  for (const outcome of runOutcomes) runs.inc({ outcome }, 0);
  const buckets = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800];
  const durations = new Histogram({ ...builderMetrics.duration, labelNames: ["kind"], buckets, registers });
  const lastRun = new Gauge({ ...builderMetrics.lastRun, labelNames: ["kind"], registers });
  const lastStatus = new Gauge({ ...builderMetrics.lastStatus, labelNames: ["kind", "outcome"], registers });
  const queue = new Gauge({ ...builderMetrics.queue, registers });
  const connected = new Gauge({ ...builderMetrics.connected, registers });
  const storeBegun = new Gauge({ ...builderMetrics.storeBegun, registers });
  const confirmed = new Gauge({ ...builderMetrics.confirmed, labelNames: ["tenant"], registers });
  let knowsStore = false;
  /** When this process last found each tenant's live snapshot to be what the source says, in milliseconds since 1970. */
  const confirmedAtMs = new Map<string, number>();
  return {
    tenantDone({ tenantId, confirmedAt = null }: TenantRun): void {
      if (confirmedAt !== null) confirmedAtMs.set(tenantId, Date.parse(confirmedAt));
    },
    async runEnded(report: RunReport, kind: RunKind): Promise<void> {
      const { outcome: ended, durationMs, finishedAt, failure, tenants } = report;
      runs.inc({ outcome: ended });
      durations.observe({ kind }, durationMs / 1000);
      lastRun.set({ kind }, Date.parse(finishedAt) / 1000);
      for (const outcome of runOutcomes) lastStatus.set({ kind, outcome }, outcome === ended ? 1 : 0);
      if (kind === "round" && failure === null) {
        // Tenants that are not in the source any more.
        const listed = new Set(tenants.map(({ tenantId }) => tenantId));
        for (const tenantId of confirmedAtMs.keys())
          if (!listed.has(tenantId)) confirmedAtMs.delete(tenantId);
      }
      if (knowsStore) return;
      const identity = await withStore(settings, readStoreIdentity).catch(() => undefined);
      if (identity === undefined) return;
      knowsStore = true;
      storeBegun.set(Date.parse(identity.createdAt) / 1000);
    },
    /** The Prometheus text of this moment. */
    text(): Promise<string> {
      queue.set(state.waiting());
      connected.set(state.isListening ? 1 : 0);
      confirmed.reset();
      for (const [tenant, atMs] of leastConfirmed(confirmedAtMs)) confirmed.set({ tenant }, atMs / 1000);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
