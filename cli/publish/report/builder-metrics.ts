import type { RunReport } from "../../../schemas/generated/types.ts";

/** The metrics of builders (P117, P118), at `/metrics` or in a `--metrics-file`. */
export const builderMetrics = {
  runs: {
    name: "builder_runs_total",
    help: "Runs, of all tenants or of some, by outcome.",
  },
  duration: {
    name: "builder_run_duration_seconds",
    help: "How long runs took, by kind: a round of all tenants, one of a notified tenant, or of those asked for.",
  },
  lastRun: {
    name: "builder_last_run_timestamp_seconds",
    help: "When the last run of the kind ended.",
  },
  lastStatus: {
    name: "builder_last_run_status",
    help: "1 for the outcome of the last run of the kind, 0 for the others.",
  },
  confirmed: {
    name: "builder_tenant_confirmed_timestamp_seconds",
    help: "When the source was last read to the effect that the live snapshot is what it says, of the 1000 tenants where that is longest ago.",
  },
  storeBegun: {
    name: "builder_store_begun_timestamp_seconds",
    help: "When this builder began a new store; 0 if it never did.",
  },
} as const;

/** All outcomes have a series from the start, since an alert sees no increase in a series that begins with a failure (P115). */
export const runOutcomes = Object.keys({
  published: 0,
  unchanged: 0,
  partial: 0,
  failed: 0,
  refused: 0,
  interrupted: 0,
  "dry-run": 0,
} satisfies Record<RunReport["outcome"], 0>) as readonly RunReport["outcome"][];

/** The upper bounds of the histogram, in seconds. */
export const durationBuckets: readonly number[] = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800];

/** The tenants that have a gauge of their own, the least recently confirmed first: labels must not grow without bound. */
export function leastConfirmed(atMs: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...atMs].sort(([, a], [, b]) => a - b).slice(0, maxTenants);
}

const maxTenants = 1000;
