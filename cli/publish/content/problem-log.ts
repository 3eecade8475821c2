import type { TenantRun } from "../../../schemas/generated/types.ts";
import {
  type DataProblem,
  type ProblemCode,
  reportedProblem,
  severityOf,
} from "../public-program/problem.ts";

/** The problems of one tenant as reports show them. */
export type Findings = Pick<TenantRun, "problems" | "problemsOmitted" | "problemCounts">;

/** What a refusal names as an example. */
export type FirstProblem = Pick<DataProblem, "programId"> & { readonly code: string };

/** Further problems are only counted. */
const maxKept = 200;

/** The problems of one tenant: all counted, the first ones kept, errors before warnings. */
export class ProblemLog {
  readonly #errors: DataProblem[] = [];
  readonly #warnings: DataProblem[] = [];
  readonly #counts = new Map<ProblemCode, number>();
  #total = 0;

  add(problem: DataProblem): void {
    this.#total += 1;
    this.#counts.set(problem.code, (this.#counts.get(problem.code) ?? 0) + 1);
    const kept = severityOf(problem.code) === "error" ? this.#errors : this.#warnings;
    if (kept.length < maxKept) kept.push(problem);
  }

  get findings(): Findings {
    const kept = [...this.#errors, ...this.#warnings].slice(0, maxKept);
    return {
      problems: kept.map(reportedProblem),
      problemsOmitted: this.#total - kept.length,
      problemCounts: Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
}

/** The findings with one more, which is shown also when the others were cut. */
export function withProblem(findings: Findings, problem: DataProblem): Findings {
  const { problems, problemsOmitted, problemCounts } = findings;
  const count = (problemCounts[problem.code] ?? 0) + 1;
  return {
    problems: [...problems, reportedProblem(problem)],
    problemsOmitted,
    problemCounts: Object.fromEntries(
      Object.entries({ ...problemCounts, [problem.code]: count }).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
}
