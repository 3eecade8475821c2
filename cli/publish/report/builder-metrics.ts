import { buildInfo } from "../../../core/package-version.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";

/** The metrics of builders (P117, P118), at `/metrics` or in a `--metrics-file`. */
export const builderMetrics = {
  buildInfo: {
    name: "builder_build_info",
    help: "1, labelled with the version of this program, a digest of its code, and the version of Node.js.",
  },
  runs: {
    name: "builder_runs_total",
    help: "Runs, of all tenants or of some, by outcome.",
  },
  duration: {
    name: "builder_run_duration_seconds",
    help: "How long runs took, by kind: a round of all tenants, or the run of a notified tenant.",
  },
  lastRun: {
    name: "builder_last_run_timestamp_seconds",
    help: "When the last run of the kind ended.",
  },
  lastDuration: {
    name: "builder_last_run_duration_seconds",
    help: "How long the last run of the kind took.",
  },
  lastStatus: {
    name: "builder_last_run_status",
    help: "1 for the outcome of the last run of the kind, 0 for the others.",
  },
  queue: {
    name: "builder_queue_tenants",
    help: "Tenants that wait for a build.",
  },
  connected: {
    name: "builder_notifications_connected",
    help: "1 while changes are heard of, 0 while builds wait for the interval.",
  },
  confirmed: {
    name: "builder_tenant_confirmed_timestamp_seconds",
    help: "When the source was last read to the effect that the live snapshot is what it says, of the 1000 tenants where that is longest ago.",
  },
  storeBegun: {
    name: "builder_store_begun_timestamp_seconds",
    help: "When the store was begun.",
  },
} as const;

/** The labels of `builder_build_info`. */
export const buildInfoLabels = (): Readonly<Record<string, string>> => ({ ...buildInfo() });

/** All outcomes have a series from the start, since an alert sees no change in a series that begins with a failure (P115). */
export const runOutcomes = Object.keys({
  published: 0,
  unchanged: 0,
  partial: 0,
  failed: 0,
  refused: 0,
  interrupted: 0,
  "dry-run": 0,
} satisfies Record<RunReport["outcome"], 0>) as readonly RunReport["outcome"][];

/** The tenants that have a gauge of their own, the least recently confirmed first: labels must not grow without bound. */
export function leastConfirmed(atMs: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...atMs].sort(([, a], [, b]) => a - b).slice(0, maxTenants);
}

const maxTenants = 1000;
