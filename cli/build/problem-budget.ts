import type { TenantRun } from "../../schemas/generated/types.ts";

/** Findings of a severity that a report holds of all its tenants together. */
const maxOfSeverity = 5000;

/**
 * Cuts the tenants' findings down to what a report of many tenants can hold, in the order in which they are handed over;
 * what is cut stays counted. Without it a thousand tenants make reports of tens of megabytes, kept for each run.
 */
export function createProblemBudget(max = maxOfSeverity): (run: TenantRun) => TenantRun {
  const left = { error: max, warning: max };
  return (run) => {
    const problems = run.problems.filter(({ severity }) => {
      left[severity] -= 1;
      return left[severity] >= 0;
    });
    if (problems.length === run.problems.length) return run;
    const problemsOmitted = run.problemsOmitted + run.problems.length - problems.length;
    return { ...run, problems, problemsOmitted };
  };
}
