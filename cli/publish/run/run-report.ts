import type { Problem, RunReport, RunTotals, TenantRun } from "../../../schemas/generated/types.ts";
import type { ExitStatus } from "../../shell/exit-status.ts";
import type { OnInvalid } from "../guards/guards.ts";
import { type ProblemCode, severityOf } from "../public-program/problem.ts";
import { maxRunFindings } from "../source/limits.ts";
import { noPrograms, type ProgramTally } from "../tenant/build-report.ts";

type Severity = Problem["severity"];

/** An error among the run's own `problems` stands for a tenant that could not be named. */
export function runOutcome(
  runs: readonly TenantRun[],
  problems: readonly Problem[],
  options: { readonly dryRun: boolean; readonly askedFor: boolean; readonly onInvalid: OnInvalid },
): { readonly outcome: RunReport["outcome"]; readonly exitStatus: ExitStatus } {
  const count = (...outcomes: readonly TenantRun["outcome"][]): number =>
    runs.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const failed = count("failed", "skipped") + problems.filter(({ severity }) => severity === "error").length;
  // P9: a tenant on hold is passed over, unless it was asked for by name.
  const refused = options.askedFor ? count("refused", "held") : count("refused");
  const isPartial = count(...succeeded) > 0;

  if (failed + refused > 0) {
    if (isPartial) return { outcome: "partial", exitStatus: 3 };
    return failed > 0 ? { outcome: "failed", exitStatus: 1 } : { outcome: "refused", exitStatus: 4 };
  }
  // P19: the exit status says that programs are left out, also when the run changed nothing.
  const leftOut = runs.some(({ outcome, counts }) => succeeded.includes(outcome) && counts.invalid > 0);
  // P224, P227
  const isTold = runs.some(
    ({ problemCounts, mostlyWithdrawn }) =>
      problemCounts.snapshot_differs !== undefined || mostlyWithdrawn !== undefined,
  );
  if (isTold) return { outcome: "partial", exitStatus: 3 };
  if (leftOut && options.onInvalid === "report") return { outcome: "partial", exitStatus: 3 };
  if (options.dryRun) return { outcome: "dry-run", exitStatus: 0 };
  // P20: a withdrawal of a tenant on hold is news for partners, too.
  const hasPublished = ({ outcome, snapshotId, previousSnapshotId }: TenantRun): boolean =>
    outcome === "published" || (outcome === "held" && snapshotId !== previousSnapshotId);
  return { outcome: runs.some(hasPublished) ? "published" : "unchanged", exitStatus: 0 };
}

const succeeded: readonly TenantRun["outcome"][] = ["published", "unchanged", "would-publish"];

/** `ownCounts`: how many findings of each kind are of no tenant. */
export function runTotals(runs: readonly TenantRun[], ownCounts: TenantRun["problemCounts"]): RunTotals {
  const sums = { published: 0, unchanged: 0, held: 0, refused: 0, failed: 0, skipped: 0, "would-publish": 0 };
  const found = { error: 0, warning: 0 };
  const programs: ProgramTally = { ...noPrograms };
  const names = Object.keys(noPrograms) as (keyof ProgramTally)[];
  for (const { outcome, problemCounts, counts } of runs) {
    for (const name of names) programs[name] += counts[name] ?? 0;
    if (outcome !== "elsewhere") sums[outcome] += 1;
    addFindings(found, problemCounts);
  }
  addFindings(found, ownCounts);
  const bytesWritten = runs.reduce((sum, run) => sum + run.bytesWritten, 0);
  return { tenants: sums, programs, bytesWritten, errors: found.error, warnings: found.warning };
}

function addFindings(found: Record<Severity, number>, counts: TenantRun["problemCounts"]): void {
  for (const [code, count] of Object.entries(counts)) found[severityOf(code as ProblemCode)] += count;
}

/**
 * P217: cuts findings and names of programs to what a report can hold: earlier tenants keep theirs, and
 * counts stay whole. Errors have places of their own, so that no warnings hide why a program was left out.
 */
export function createReportBudget(
  maxOfSeverity = maxRunFindings,
  maxNames = 100_000,
): (run: TenantRun) => TenantRun {
  const left = { error: maxOfSeverity, warning: maxOfSeverity };
  let names = 0;
  return (run) => {
    const { leftOut: ids = [] } = run;
    const problems = run.problems.filter(({ severity }) => {
      left[severity] -= 1;
      return left[severity] >= 0;
    });
    const leftOut = ids.slice(0, maxNames - names);
    names += leftOut.length;
    const problemsOmitted = run.problemsOmitted + run.problems.length - problems.length;
    return { ...run, leftOut, leftOutOmitted: ids.length - leftOut.length, problems, problemsOmitted };
  };
}
