import type { LastRun } from "./run-history.ts";
import type { StatusReport, TenantStatus } from "./tenant-status.ts";

/** What `snapshot status --json` prints; documented in docs/json.md. */
export function statusJson({ tenants, faults }: StatusReport, now: Date): object {
  return { at: now.toISOString(), tenants: tenants.map((tenant) => tenantJson(tenant, now)), faults };
}

/** A tenant's last run as every `--json` shows it. */
export function lastRunJson({ runId, startedAt, finishedAt, outcome, failure, tenantRun }: LastRun): object {
  const counts = tenantRun?.counts ?? null;
  return {
    runId,
    startedAt,
    finishedAt,
    outcome,
    failure,
    counts,
    problemCounts: tenantRun?.problemCounts ?? {},
  };
}

function tenantJson({ tenantId, live, fault, lastRun, notInSource }: TenantStatus, now: Date): object {
  const ageSeconds = (instant: string): number =>
    Math.max(0, Math.floor((now.getTime() - Date.parse(instant)) / 1000));
  return {
    tenantId,
    live: live && { ...live, ageSeconds: ageSeconds(live.generatedAt) },
    lastRun: lastRun && lastRunJson(lastRun),
    notInSource,
    fault,
  };
}
