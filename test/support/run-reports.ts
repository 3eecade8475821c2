import { runTotals } from "../../cli/publish/run/run-report.ts";
import { notBuilt } from "../../cli/publish/tenant/build-report.ts";
import { parseTenantId } from "../../core/ground/ids.ts";
import { defaultTerminalStatuses } from "../../core/process/settings.ts";
import type { RunReport, TenantRun } from "../../schemas/generated/types.ts";

/** What a run made of a tenant: nothing has changed, but for these fields. */
export function tenantRunOf(tenantId: string, fields: Partial<TenantRun> = {}): TenantRun {
  const live = { snapshotId: "20270201T031500Z-0a1b2c3d", previousSnapshotId: "20270201T031500Z-0a1b2c3d" };
  return { ...notBuilt(parseTenantId(tenantId), "unchanged"), ...live, ...fields };
}

/** The report of a run of all tenants that found nothing, but for these fields. */
export function runReportOf(
  tenants: readonly TenantRun[],
  { options, ...fields }: Partial<Omit<RunReport, "options">> & { readonly options?: object } = {},
): RunReport {
  return {
    format: "partner-programs/run-report@1",
    runId: "20270201T031500Z-0a1b2c3d",
    startedAt: "2027-02-01T03:15:00Z",
    finishedAt: "2027-02-01T03:15:09.120Z",
    durationMs: 9120,
    outcome: "unchanged",
    exitStatus: 0,
    version: "0.1.0",
    options: {
      tenants: null,
      concurrency: 4,
      onInvalid: "skip",
      allowShrink: false,
      dryRun: false,
      legacyCapacity: "object",
      terminalStatuses: [...defaultTerminalStatuses],
      ...options,
    },
    storeRequests: { get: 0, put: 0, list: 0, delete: 0 },
    totals: runTotals(tenants, {}),
    failure: null,
    tenants: [...tenants],
    problems: [],
    ...fields,
  };
}
