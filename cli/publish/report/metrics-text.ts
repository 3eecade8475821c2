import { isTenantId } from "../../../core/ids.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { builderMetrics, durationBuckets, leastConfirmed, runOutcomes } from "./builder-metrics.ts";

/** `round`: of all tenants; `asked`: of those that `--tenant` names. */
type RunKind = "round" | "asked";

/** What a metrics file says of a run. */
export interface EndedRun {
  readonly kind: RunKind;
  readonly outcome: RunReport["outcome"];
  readonly durationMs: number;
  readonly endedAtMs: number;
  /** Tenant → when its live snapshot was found to be what the source says; of the tenants that the run confirmed. */
  readonly confirmedAtMs: ReadonlyMap<string, number>;
  /** The tenants of the source, when the run looked at all of them. */
  readonly listed: ReadonlySet<string> | undefined;
  /** When the run began a new store, if it did. */
  readonly storeBegunAtMs: number | undefined;
}

/**
 * The Prometheus text of a metrics file after the run. P115: counters go on from what `previous` counts, and a tenant that the run
 * did not confirm keeps the time of an earlier confirmation. Anything else in `previous` is dropped.
 */
export function metricsText(previous: string, run: EndedRun): string {
  const before = samplesOf(previous);
  const countOf = (sample: string): number => before.get(sample) ?? 0;
  const { runs, duration, lastRun, lastStatus, confirmed, storeBegun } = builderMetrics;

  const runLines = runOutcomes.map((outcome) => {
    const sample = `${runs.name}{outcome="${outcome}"}`;
    return `${sample} ${countOf(sample) + (outcome === run.outcome ? 1 : 0)}`;
  });
  const durationLines = runKinds.flatMap((kind) => {
    const seconds = kind === run.kind ? run.durationMs / 1000 : undefined;
    const line = (sample: string, more: number): string => `${sample} ${countOf(sample) + more}`;
    return [
      ...[...durationBuckets, Number.POSITIVE_INFINITY].map((bound) => {
        const le = bound === Number.POSITIVE_INFINITY ? "+Inf" : bound;
        const isWithin = seconds !== undefined && seconds <= bound;
        return line(`${duration.name}_bucket{le="${le}",kind="${kind}"}`, isWithin ? 1 : 0);
      }),
      line(`${duration.name}_sum{kind="${kind}"}`, seconds ?? 0),
      line(`${duration.name}_count{kind="${kind}"}`, seconds === undefined ? 0 : 1),
    ];
  });
  /** A kind that never ran has no line. */
  const lastOf = (kind: RunKind, sample: string, value: number): string[] => {
    if (kind === run.kind) return [`${sample} ${value}`];
    return before.has(sample) ? [`${sample} ${countOf(sample)}`] : [];
  };
  const lastRunLines = runKinds.flatMap((kind) =>
    lastOf(kind, `${lastRun.name}{kind="${kind}"}`, run.endedAtMs / 1000),
  );
  const statusLines = runKinds.flatMap((kind) =>
    runOutcomes.flatMap((outcome) =>
      lastOf(
        kind,
        `${lastStatus.name}{kind="${kind}",outcome="${outcome}"}`,
        outcome === run.outcome ? 1 : 0,
      ),
    ),
  );
  const confirmedAtMs = confirmedAfter(before, run);
  const confirmedLine = ([tenant, atMs]: readonly [string, number]): string =>
    `${confirmed.name}{tenant="${tenant}"} ${atMs / 1000}`;
  const begunAt = run.storeBegunAtMs === undefined ? countOf(storeBegun.name) : run.storeBegunAtMs / 1000;
  const shown = new Map(leastConfirmed(confirmedAtMs));
  const others = [...confirmedAtMs].filter(([tenant]) => !shown.has(tenant));
  return [
    ...family(runs, "counter", runLines),
    ...family(duration, "histogram", durationLines),
    ...family(lastRun, "gauge", lastRunLines),
    ...family(lastStatus, "gauge", statusLines),
    ...family(confirmed, "gauge", [...shown].map(confirmedLine)),
    ...family(storeBegun, "gauge", [`${storeBegun.name} ${begunAt}`]),
    // Collectors skip comments. The next run reads these times, for tenants that may be among the shown ones then.
    ...others.map((other) => `# ${confirmedLine(other)}`),
    "",
  ].join("\n");
}

const runKinds: readonly RunKind[] = ["round", "asked"];

function family(
  { name, help }: { readonly name: string; readonly help: string },
  type: string,
  lines: readonly string[],
): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

/** Name and labels → value, of the lines that this program may have written. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, sample, value] = /^(?:# )?(builder_[a-z_]+(?:\{[^{}\s]+\})?) ([0-9.e+-]+)$/.exec(line) ?? [];
    const number = Number(value);
    if (sample !== undefined && Number.isFinite(number) && number >= 0) samples.set(sample, number);
  }
  return samples;
}

function confirmedAfter(before: ReadonlyMap<string, number>, run: EndedRun): ReadonlyMap<string, number> {
  const atMs = new Map<string, number>();
  for (const [sample, seconds] of before) {
    const tenant = confirmedTenant(sample);
    if (tenant !== undefined && run.listed?.has(tenant) !== false) atMs.set(tenant, seconds * 1000);
  }
  for (const [tenant, runAtMs] of run.confirmedAtMs) atMs.set(tenant, runAtMs);
  return atMs;
}

const confirmedOpening = `${builderMetrics.confirmed.name}{tenant="`;
const confirmedEnding = '"}';

function confirmedTenant(sample: string): string | undefined {
  const tenant = sample.slice(confirmedOpening.length, -confirmedEnding.length);
  const isWhole = sample === confirmedOpening + tenant + confirmedEnding;
  return isWhole && isTenantId(tenant) ? tenant : undefined;
}
