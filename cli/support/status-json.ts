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

function tenantJson(tenant: TenantStatus, now: Date): object {
  const { tenantId, live, fault, hold, removedAt, lastRun, lastTry, notInSource, concerns } = tenant;
  const ageSeconds = (instant: string): number =>
    Math.max(0, Math.floor((now.getTime() - Date.parse(instant)) / 1000));
  return {
    tenantId,
    live: live && {
      ...live,
      ageSeconds: ageSeconds(live.generatedAt),
      confirmedAgeSeconds: live.confirmedAt === null ? null : ageSeconds(live.confirmedAt),
    },
    lastRun: lastRun && lastRunJson(lastRun),
    lastTry,
    notInSource,
    removedAt,
    hold,
    fault,
    concerns,
  };
}
