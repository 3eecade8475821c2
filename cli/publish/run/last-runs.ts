import { isTenantId, type TenantId } from "../../../core/ids.ts";
import { type LastRuns, maxLeftOutIds } from "../../../core/last-runs.ts";
import type { LastRunOfAll, RunReport, TenantLastRun } from "../../../schemas/generated/types.ts";
import { isLater, knownTenants } from "./merged-confirmations.ts";

/** What `runs/last.json` is to say of a run. `undefined` for a dry run, which leaves no trace. */
export function lastRunsOf(report: RunReport): LastRuns | undefined {
  const { runId, startedAt, finishedAt: endedAt, outcome, failure, options } = report;
  if (options.dryRun) return undefined;
  const ofAll: LastRunOfAll = {
    shard: options.shard ?? null,
    ...{ runId, startedAt, endedAt, outcome, failure },
    tenants: report.tenants.map(({ tenantId }) => tenantId),
  };
  const tenants = report.tenants.flatMap((run): (readonly [TenantId, TenantLastRun])[] => {
    const { tenantId, leftOut = [], leftOutOmitted = 0, problemCounts } = run;
    if (!isTenantId(tenantId) || run.outcome === "skipped") return [];
    const entry = {
      ...{ runId, endedAt, outcome: run.outcome, failure: run.failure, onInvalid: options.onInvalid },
      leftOut: leftOut.slice(0, maxLeftOutIds),
      leftOutCount: leftOut.length + leftOutOmitted,
      problemCounts,
    };
    return [[tenantId, entry]];
  });
  return { runsOfAll: options.tenants === null ? [ofAll] : [], tenants: new Map(tenants) };
}

/**
 * Merges what runs say into what is stored: of each tenant, and of each shard, the later run stays. A run of all replaces those of
 * shards, and those replace one of all. Returns `stored` itself when nothing changes. `latest`: see `mergedConfirmations`.
 */
export function mergedLastRuns(stored: LastRuns, runs: LastRuns, latest: Date): LastRuns {
  const newer = [...runs.tenants].filter(([tenantId, { endedAt }]) =>
    isLater(endedAt, stored.tenants.get(tenantId)?.endedAt ?? null, latest),
  );
  let { runsOfAll } = stored;
  for (const run of runs.runsOfAll) {
    const same = runsOfAll.find(({ shard }) => shard === run.shard);
    if (same !== undefined && !isLater(run.endedAt, same.endedAt, latest)) continue;
    const beside = runsOfAll.filter(({ shard }) => shard !== run.shard && parts(shard) === parts(run.shard));
    runsOfAll = [...beside, run].sort((a, b) => ((a.shard ?? "") < (b.shard ?? "") ? -1 : 1));
  }
  if (newer.length === 0 && runsOfAll === stored.runsOfAll) return stored;
  return { runsOfAll, tenants: new Map([...stored.tenants, ...newer]) };
}

/** Without the tenants that neither source nor store had at the time of this run of all. */
export function withoutGoneRuns(stored: LastRuns, report: RunReport): LastRuns {
  const known = knownTenants(report);
  if (known === undefined) return stored;
  const isGone = ([id, run]: readonly [TenantId, TenantLastRun]): boolean =>
    !known.has(id) && Date.parse(run.endedAt) < Date.parse(report.startedAt);
  const kept = [...stored.tenants].filter((entry) => !isGone(entry));
  return kept.length === stored.tenants.size ? stored : { ...stored, tenants: new Map(kept) };
}

/** Of how many parts a shard is one. */
function parts(shard: string | null): string {
  return shard?.split("/")[1] ?? "";
}
