import { buildInfo } from "../../../core/package-version.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";

const metric = (name: string, help: string) => ({ name: `builder_${name}`, help });

/** The metrics of builders (P118), at `/metrics` or in a `--metrics-file`. */
export const builderMetrics = {
  buildInfo: metric(
    "build_info",
    "1, labelled with the version of this program, a digest of its code, and the version of Node.js.",
  ),
  runs: metric("runs_total", "Runs, of all tenants or of some, by outcome."),
  duration: metric(
    "run_duration_seconds",
    "How long runs took, by kind: a round of all tenants, or the run of a notified tenant.",
  ),
  lastRun: metric("last_run_timestamp_seconds", "When the last run of the kind ended."),
  lastDuration: metric("last_run_duration_seconds", "How long the last run of the kind took."),
  lastStatus: metric("last_run_status", "1 for the outcome of the last run of the kind, 0 for the others."),
  queue: metric("queue_tenants", "Tenants that wait for a build."),
  connected: metric(
    "notifications_connected",
    "1 while changes are heard of, 0 while builds wait for the interval.",
  ),
  confirmed: metric(
    "tenant_confirmed_timestamp_seconds",
    "When the source was last read to the effect that the live snapshot is what it says, of the 1000 tenants where that is longest ago.",
  ),
  storeBegun: metric("store_begun_timestamp_seconds", "When the store was begun."),
};

/** The labels of `builder_build_info`. */
export const buildInfoLabels = (): Readonly<Record<string, string>> => ({ ...buildInfo() });

/** All outcomes have a series from the start, since an alert sees no change in a series that begins with a failure (P115). */
export const runOutcomes: readonly RunReport["outcome"][] = [
  ...(["published", "unchanged", "partial", "failed", "refused", "interrupted", "dry-run"] as const),
];

/** The tenants that have a gauge of their own, the least recently confirmed first: labels must not grow without bound. */
export function leastConfirmed(atMs: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...atMs].sort(([, a], [, b]) => a - b).slice(0, 1000);
}
