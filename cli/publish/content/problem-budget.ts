import type { TenantRun } from "../../../schemas/generated/types.ts";

/** Findings of a severity that a report holds of all its tenants together. */
const maxOfSeverity = 5000;

/**
 * Cuts the tenants' findings down to what a report of many tenants can hold, in the order in which they are handed over;
 * what is cut stays counted. Without it a thousand tenants make reports of tens of megabytes, kept for each run.
 */
export function createProblemBudget(max = maxOfSeverity): (run: TenantRun) => TenantRun {
  const left = { error: max, warning: max };
  let namesLeft = maxNames;
  return (built) => {
    const run = withNames(built, namesLeft);
    namesLeft -= run.leftOut?.length ?? 0;
    const problems = run.problems.filter(({ severity }) => {
      left[severity] -= 1;
      return left[severity] >= 0;
    });
    if (problems.length === run.problems.length) return run;
    const problemsOmitted = run.problemsOmitted + run.problems.length - problems.length;
    return { ...run, problems, problemsOmitted };
  };
}

/** Programs that were left out, named by a report. */
const maxNames = 100_000;

function withNames(run: TenantRun, max: number): TenantRun {
  const names = run.leftOut ?? [];
  if (names.length <= max) return run;
  return { ...run, leftOut: names.slice(0, max), leftOutOmitted: names.length - max };
}
