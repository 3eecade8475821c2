import type { RunReport } from "../../../schemas/generated/types.ts";

/**
 * Whether a run's report says something that the ones before did not: a report a minute of nothing would only hide those
 * that matter. The first quiet run after another is news, too: it says that the trouble is over.
 */
export function createNews(): (report: RunReport) => boolean {
  /** Tenants whose last run did something or failed. */
  const stirred = new Set<string>();
  let wasLastRoundNews = true;

  return (report) => {
    const isRound = report.options.tenants === null;
    const isCalm = report.outcome === "unchanged";
    const isNews =
      !isCalm ||
      (isRound && wasLastRoundNews) ||
      report.tenants.some(({ tenantId }) => stirred.has(tenantId));
    if (isRound) wasLastRoundNews = !isCalm;
    for (const { tenantId, outcome } of report.tenants) {
      if (quiet.has(outcome)) stirred.delete(tenantId);
      else stirred.add(tenantId);
    }
    return isNews && report.outcome !== "interrupted";
  };
}

const quiet: ReadonlySet<string> = new Set(["unchanged", "elsewhere", "held"]);
