import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";

/** What the runs of one process have said already. */
export interface News {
  /** Whether the run published something, or found something else than the tenant's run before. Called once for each. */
  isOfTenant(run: TenantRun): boolean;
  /** Whether the report says something else of the whole source than the one before: of the round, or of some tenants' run. */
  isOfSource(report: RunReport): boolean;
}

export function createNews(): News {
  const before = new Map([[someTenants, JSON.stringify([undefined, []])]]);
  const isNew = (subject: string, found: readonly unknown[]): boolean => {
    const text = JSON.stringify(found);
    const isOther = before.get(subject) !== text;
    before.set(subject, text);
    return isOther;
  };
  return {
    isOfTenant({ tenantId, outcome, snapshotId, previousSnapshotId, failure, leftOut, problemCounts }) {
      const state = outcome === "published" ? "unchanged" : outcome;
      const isOther = isNew(tenantId, [state, failure?.message, leftOut, problemCounts]);
      return isOther || (snapshotId !== null && snapshotId !== previousSnapshotId);
    },
    isOfSource: ({ options, failure, problems }) =>
      isNew(options.tenants === null ? wholeRound : someTenants, [failure?.message, problems]),
  };
}

/** No tenant's id contains a space. */
const wholeRound = "a round";
const someTenants = "some tenants";
