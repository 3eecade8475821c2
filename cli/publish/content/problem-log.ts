import type { TenantRun } from "../../../schemas/generated/types.ts";
import {
  type DataProblem,
  type ProblemCode,
  reportedProblem,
  severityOf,
} from "../public-program/problem.ts";

/** The problems of one tenant as reports show them. */
type Findings = Pick<TenantRun, "problems" | "problemsOmitted" | "problemCounts">;

/** Further problems are only counted. */
const maxKept = 200;

/** The problems of one tenant: all counted, the first ones kept, errors before warnings. */
export class ProblemLog {
  readonly #kept: Record<"error" | "warning", DataProblem[]> = { error: [], warning: [] };
  readonly #counts = new Map<ProblemCode, number>();
  #total = 0;

  add(problem: DataProblem): void {
    this.#total += 1;
    this.#counts.set(problem.code, (this.#counts.get(problem.code) ?? 0) + 1);
    const kept = this.#kept[severityOf(problem.code)];
    if (kept.length < maxKept) kept.push(problem);
  }

  get findings(): Findings {
    const kept = [...this.#kept.error, ...this.#kept.warning].slice(0, maxKept);
    return {
      problems: kept.map(reportedProblem),
      problemsOmitted: this.#total - kept.length,
      problemCounts: sorted(this.#counts),
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
    problemCounts: sorted(Object.entries({ ...problemCounts, [problem.code]: count })),
  };
}

function sorted(counts: Iterable<[string, number]>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
