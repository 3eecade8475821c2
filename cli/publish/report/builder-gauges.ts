import { Gauge, type Registry } from "prom-client";
import { readConfirmations } from "../../../core/documents/confirmations.ts";
import { maxConfirmedBytes } from "../../../core/ground/limits.ts";
import { confirmedKey } from "../../../core/ground/object-key.ts";
import { noStore, readStoreIdentity } from "../../../core/process/open-store.ts";
import { buildInfo } from "../../../core/process/package-version.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import type { ProblemCode } from "../public-program/problem.ts";

/** P115: each outcome has a series from the start: alerts miss a change in a series that begins late. */
export const runOutcomes: readonly RunReport["outcome"][] = [
  ...(["published", "unchanged", "partial", "failed", "refused", "interrupted", "dry-run"] as const),
];

/** Labels must not grow without bound, so only the tenants confirmed longest ago have a gauge each. */
const maxTenants = 1000;

/** P224, P227: what somebody has to look at within a day, though later runs find nothing new. */
const dayLongFindings: readonly ProblemCode[] = ["mostly_withdrawn", "snapshot_differs"];

/** The gauges of builders, at `/metrics` of a watch (P118) and in a `--metrics-file` (P115). */
export function createBuilderGauges(registry: Registry) {
  const gauges = new Map<string, { readonly gauge: Gauge; readonly labels: string }>();
  const gauge = (suffix: string, help: string, ...labelNames: readonly string[]): Gauge => {
    const name = `builder_${suffix}`;
    const made = new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
    gauges.set(name, { gauge: made, labels: labelNames.join() });
    return made;
  };
  const lastRun = gauge("last_run_timestamp_seconds", "When the last run of the kind ended.", "kind");
  const lastDuration = gauge("last_run_duration_seconds", "How long the last run of the kind took.", "kind");
  const statusHelp = "1 for the outcome of the last run of the kind, 0 for the others.";
  const lastStatus = gauge("last_run_status", statusHelp, "kind", "outcome");
  const confirmedHelp =
    "When the source was last read to the effect that the live snapshot is what it says, of the 1000 tenants where that is longest ago.";
  const confirmed = gauge("tenant_confirmed_timestamp_seconds", confirmedHelp, "tenant");
  const findingHelp = "When a run last found this of a tenant.";
  const found = gauge("finding_timestamp_seconds", findingHelp, "finding");
  for (const finding of dayLongFindings) found.set({ finding }, 0);
  const storeBegun = gauge("store_begun_timestamp_seconds", "When the store was begun.");
  const info = { ...buildInfo() };
  const infoHelp =
    "1, labelled with the version of this program, a digest of its code, and the version of Node.js.";
  gauge("build_info", infoHelp, ...Object.keys(info)).set(info, 1);

  return {
    runEnded(kind: string, outcome: RunReport["outcome"], durationMs: number, endedAt: Date): void {
      lastRun.set({ kind }, endedAt.getTime() / 1000);
      lastDuration.set({ kind }, durationMs / 1000);
      for (const each of runOutcomes) lastStatus.set({ kind, outcome: each }, each === outcome ? 1 : 0);
    },
    /** Remembers when something was found that is told for a day. */
    tenantsBuilt({ tenants, finishedAt, options }: RunReport): void {
      for (const finding of options.dryRun ? [] : dayLongFindings) {
        const isFound = tenants.some(({ problemCounts }) => problemCounts[finding] !== undefined);
        if (isFound) found.set({ finding }, Date.parse(finishedAt) / 1000);
      }
    },
    /** Reads when the store was begun and its tenants confirmed. A failure changes nothing. */
    async readStore(store: ObjectStore, signal?: AbortSignal): Promise<void> {
      const identity = await readStoreIdentity(store, { signal });
      if (identity === undefined) throw noStore(store.address);
      const found = await store.get(confirmedKey, { signal, wholeUpTo: maxConfirmedBytes });
      const known = found.kind === "object" ? [...(await readConfirmations(found.body))] : [];
      const times = known.flatMap(([tenant, { confirmedAt }]) =>
        confirmedAt === null ? [] : [{ tenant, seconds: Date.parse(confirmedAt) / 1000 }],
      );
      storeBegun.set(Date.parse(identity.createdAt) / 1000);
      confirmed.reset();
      times.sort((a, b) => a.seconds - b.seconds);
      for (const { tenant, seconds } of times.slice(0, maxTenants)) confirmed.set({ tenant }, seconds);
    },
    restore: (text: string, kind: string): void => restore(gauges, text, kind),
  };
}

type Gauges = ReadonlyMap<string, { readonly gauge: Gauge; readonly labels: string }>;

/** Takes over what an earlier text says of the store, and of runs of other kinds than this one. */
function restore(gauges: Gauges, text: string, kind: string): void {
  const samples = text.matchAll(/^(builder_\w+)(?:\{([^{}]*)\})? (\d\S*)$/gm);
  for (const [, name = "", labelText = "", value] of samples) {
    const pairs = labelText.split(",").map((pair) => pair.replaceAll('"', "").split("=", 2));
    const labels = labelText === "" ? {} : Object.fromEntries(pairs);
    const known = gauges.get(name);
    const isFitting = known?.labels === Object.keys(labels).join() && !("code" in labels);
    if (isFitting && labels.kind !== kind) known.gauge.set(labels, Number(value));
  }
}
