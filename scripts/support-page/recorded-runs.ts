import { isSnapshotId, isTenantId } from "../../core/ids.ts";
import { lastRunsBytes, maxLeftOutIds, noLastRuns, readLastRuns } from "../../core/last-runs.ts";
import { bytesBody, readBody } from "../../core/object-body.ts";
import { lastRunsKey, runKey, runsPrefix } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { parseStoredDocument } from "../../core/stored-document.ts";
import type { LastRunOfAll, RunReport, TenantLastRun } from "../../schemas/generated/types.ts";
import { isRunReport } from "../../schemas/generated/validators-run-report.ts";

/** Writes `runs/last.json` as the newest run report has it, unless the run itself has done so. */
export async function recordLastRun(store: ObjectStore): Promise<void> {
  const report = await newestReport(store);
  if (report === undefined) return;
  const { signal } = new AbortController();
  const { runsOfAll, tenants } = (await readLastRuns(store, signal))?.lastRuns ?? noLastRuns;
  const { runId, startedAt, finishedAt: endedAt, outcome, failure, options } = report;
  if (runsOfAll.some((run) => run.runId === runId)) return;
  if ([...tenants.values()].some((run) => run.runId === runId) || outcome === "dry-run") return;
  const common = { runId, endedAt, onInvalid: options.onInvalid } as const;
  const known = new Map(tenants);
  for (const run of report.tenants) {
    if (!isTenantId(run.tenantId)) continue;
    const leftOut = run.leftOut ?? [];
    const entry: TenantLastRun = {
      ...common,
      outcome: run.outcome,
      failure: shortFailure(run.failure ?? (run.outcome === "skipped" ? failure : null)),
      leftOut: leftOut.slice(0, maxLeftOutIds),
      leftOutCount: leftOut.length,
      problemCounts: run.problemCounts,
    };
    known.set(run.tenantId, entry);
  }
  for (const tenantId of failure === null ? [] : (options.tenants ?? [])) {
    if (!isTenantId(tenantId) || report.tenants.some((run) => run.tenantId === tenantId)) continue;
    const nothing = { leftOut: [], leftOutCount: 0, problemCounts: {} };
    known.set(tenantId, { ...common, outcome: "failed", failure: shortFailure(failure), ...nothing });
  }
  const ofAll: LastRunOfAll = {
    shard: null,
    runId,
    startedAt,
    endedAt,
    outcome,
    failure: shortFailure(failure),
    tenants: report.tenants.map(({ tenantId }) => tenantId),
  };
  const runs = options.tenants === null ? [ofAll] : runsOfAll;
  await store.put(lastRunsKey, bytesBody(lastRunsBytes({ runsOfAll: runs, tenants: known })));
}

function shortFailure(failure: RunReport["failure"]): TenantLastRun["failure"] {
  return failure === null ? null : { code: failure.code, message: failure.message };
}

async function newestReport(store: ObjectStore): Promise<RunReport | undefined> {
  let newest: RunReport | undefined;
  for await (const { key } of store.list(runsPrefix)) {
    const id = key.slice(runsPrefix.length).replace(/\.json$/, "");
    if (!isSnapshotId(id) || key !== runKey(id)) continue;
    const found = await store.get(runKey(id));
    if (found.kind !== "object") continue;
    const report = parseStoredDocument(await readBody(found, 64 * 1024 * 1024, key), isRunReport, key);
    if (newest === undefined || report.finishedAt >= newest.finishedAt) newest = report;
  }
  return newest;
}
