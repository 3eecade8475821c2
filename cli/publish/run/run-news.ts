import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";

/** Tells whether a tenant's run published something, or found something else than the one before. */
export function createTenantNews(): (run: TenantRun) => boolean {
  const before = new Map<string, string>();
  return (run) => {
    const { tenantId, outcome, snapshotId, previousSnapshotId, failure, leftOut, problemCounts } = run;
    const state = outcome === "published" ? "unchanged" : outcome;
    const found = JSON.stringify([state, failure?.message, leftOut, problemCounts]);
    const isNew = before.get(tenantId) !== found;
    before.set(tenantId, found);
    return isNew || (snapshotId !== null && snapshotId !== previousSnapshotId);
  };
}

/** Makes a function that tells whether a run's report is news: one of its tenants is, or what it says of the whole source. */
export function createNews(): (report: RunReport) => boolean {
  const isTenantNews = createTenantNews();
  const before = { round: "", other: noFindings };
  return ({ options, outcome, tenants, failure, problems }) => {
    if (outcome === "interrupted") return false;
    const kind = options.tenants === null ? "round" : "other";
    const found = JSON.stringify([failure?.message, problems]);
    const isNew = before[kind] !== found;
    before[kind] = found;
    return tenants.map(isTenantNews).includes(true) || isNew;
  };
}

const noFindings = JSON.stringify([undefined, []]);
