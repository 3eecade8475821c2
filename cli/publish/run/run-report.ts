import type { Problem, RunReport, RunTotals, TenantRun } from "../../../schemas/generated/types.ts";
import type { ExitStatus } from "../../shell/exit-status.ts";
import { sumOfCounts } from "../content/program-counts.ts";
import type { OnInvalid } from "../guards/guards.ts";
import { type ProblemCode, severityOf } from "../public-program/problem.ts";

/**
 * The outcome of a run and its exit status, from the outcomes of its tenants. An error among the run's own `problems` stands for
 * a tenant that could not be named.
 */
export function runOutcome(
  runs: readonly TenantRun[],
  problems: readonly Problem[],
  options: { readonly dryRun: boolean; readonly askedFor: boolean; readonly onInvalid: OnInvalid },
): { readonly outcome: RunReport["outcome"]; readonly exitStatus: ExitStatus } {
  // P9: a tenant on hold is passed over, unless it was asked for by name.
  const isRefused = ({ outcome }: TenantRun): boolean =>
    outcome === "refused" || (outcome === "held" && options.askedFor);
  const failed =
    runs.filter(({ outcome }) => outcome === "failed" || outcome === "skipped").length +
    problems.filter(({ severity }) => severity === "error").length;
  const refused = runs.filter(isRefused).length;
  const done = runs.filter(({ outcome }) => succeeded.has(outcome)).length;

  if (failed + refused > 0) {
    if (done > 0) return { outcome: "partial", exitStatus: 3 };
    return failed > 0 ? { outcome: "failed", exitStatus: 1 } : { outcome: "refused", exitStatus: 4 };
  }
  // P19: the exit status says that programs are left out, also when the run changed nothing.
  const leftOut = runs.some(({ outcome, counts }) => succeeded.has(outcome) && counts.invalid > 0);
  if (leftOut && options.onInvalid === "report") return { outcome: "partial", exitStatus: 3 };
  if (options.dryRun) return { outcome: "dry-run", exitStatus: 0 };
  return { outcome: runs.some(hasPublished) ? "published" : "unchanged", exitStatus: 0 };
}

/** P20: a withdrawal of a tenant on hold is news for partners, too. */
function hasPublished({ outcome, snapshotId, previousSnapshotId }: TenantRun): boolean {
  return outcome === "published" || (outcome === "held" && snapshotId !== previousSnapshotId);
}

const succeeded: ReadonlySet<TenantRun["outcome"]> = new Set(["published", "unchanged", "would-publish"]);

export function runTotals(runs: readonly TenantRun[], problems: readonly Problem[]): RunTotals {
  const tenants = {
    published: 0,
    unchanged: 0,
    held: 0,
    refused: 0,
    failed: 0,
    skipped: 0,
    "would-publish": 0,
  };
  let bytesWritten = 0;
  let errors = problems.filter(({ severity }) => severity === "error").length;
  let warnings = problems.length - errors;
  for (const run of runs) {
    if (run.outcome !== "elsewhere") tenants[run.outcome] += 1;
    bytesWritten += run.bytesWritten;
    for (const [code, count] of Object.entries(run.problemCounts)) {
      if (severityOf(code as ProblemCode) === "error") errors += count;
      else warnings += count;
    }
  }
  const programs = sumOfCounts(runs.map(({ counts }) => counts));
  return { tenants, programs, bytesWritten, errors, warnings };
}

/** The most findings of one severity in a report, over all its tenants. */
const maxOfSeverity = 5000;

/**
 * Cuts the findings of tenants down to what a report can hold; earlier tenants keep theirs, and counts stay whole. Otherwise each
 * run of a thousand tenants would store tens of megabytes.
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

/** The most programs that a report names as left out. */
const maxNames = 100_000;

function withNames(run: TenantRun, max: number): TenantRun {
  const names = run.leftOut ?? [];
  if (names.length <= max) return run;
  return { ...run, leftOut: names.slice(0, max), leftOutOmitted: names.length - max };
}
