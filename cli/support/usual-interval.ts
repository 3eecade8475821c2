import { runsPrefix } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { RunHistory } from "./run-history.ts";
import { runIdOf, runKeyOfTime, runStartMs } from "./run-keys.ts";

/**
 * How long it usually takes from one run of the tenant to the next; `null` when that is not known: names of reports say
 * nothing of tenants, and where it is built apart from others their runs are none of its.
 */
export function usualIntervalOf(
  tenantId: string,
  usualIntervalMs: number | null,
  { builtApart }: Pick<RunHistory, "builtApart">,
): number | null {
  return builtApart.has(tenantId) ? null : usualIntervalMs;
}

/**
 * How long it usually takes from one run to the next, by the times in the names of the newest reports: at least as long as three
 * quarters of the gaps between them. `null` when too few are known. Reads no report.
 */
export async function usualInterval(
  store: ObjectStore,
  now: Date,
  signal: AbortSignal,
): Promise<number | null> {
  for (const hours of [24, 24 * 30]) {
    const starts = await startsSince(store, new Date(now.getTime() - hours * 3_600_000), signal);
    const gaps = starts.slice(1).map((start, at) => start - (starts[at] ?? start));
    if (gaps.length >= minGaps) return upperQuartile(gaps.slice(-maxGaps));
  }
  return null;
}

const minGaps = 5;
const maxGaps = 50;

async function startsSince(store: ObjectStore, since: Date, signal: AbortSignal): Promise<number[]> {
  const after = runKeyOfTime(since);
  const starts: number[] = [];
  for await (const { key } of store.list(runsPrefix, { after, signal })) {
    const id = runIdOf(key);
    if (id !== undefined) starts.push(runStartMs(id));
    if (starts.length > 2 * maxGaps) starts.splice(0, maxGaps);
  }
  return starts;
}

function upperQuartile(gaps: readonly number[]): number {
  const sorted = [...gaps].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.75) - 1] ?? 0;
}
