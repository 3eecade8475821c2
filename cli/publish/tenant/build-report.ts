import type { Current } from "../../../core/documents/current.ts";
import type { Failure, FailureCode } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { ProgramCounts, TenantRun } from "../../../schemas/generated/types.ts";
import {
  type DataProblem,
  type ProblemCode,
  reportedProblem,
  severityOf,
  shownValue,
} from "../public-program/problem.ts";
import type { LiveSnapshot } from "../snapshot/stored-snapshot.ts";
import { maxTenantFindings } from "../source/limits.ts";

/** The report of a build that is under way. One that fails lacks what it did not reach. */
export type RunDraft = { -readonly [Name in keyof TenantRun]: TenantRun[Name] };

/** The report of an attempt that begins with this pointer, or of a tenant whose turn did not come. */
export function notBuilt(tenantId: TenantId, outcome: TenantRun["outcome"], before?: Current): RunDraft {
  return {
    tenantId,
    outcome,
    snapshotId: before?.snapshotId ?? null,
    generation: before?.generation ?? null,
    previousSnapshotId: before?.snapshotId ?? null,
    confirmedAt: null,
    counts: noPrograms,
    livePrograms: null,
    leftOut: [],
    leftOutOmitted: 0,
    durationMs: 0,
    requests: { get: 0, put: 0, list: 0, delete: 0 },
    bytesWritten: 0,
    failure: null,
    ...new ProblemLog().findings,
  };
}

/** Adds a finding about the tenant itself, which no memory keeps. It is shown also when others were cut. */
export function note(run: RunDraft, problem: DataProblem): void {
  const count = (run.problemCounts[problem.code] ?? 0) + 1;
  run.problemCounts = sorted(Object.entries({ ...run.problemCounts, [problem.code]: count }));
  run.problems = [...run.problems, reportedProblem(problem)];
}

export function noteCode(run: RunDraft, code: ProblemCode, value: string | null): void {
  note(run, { code, programId: null, field: null, value: shownValue(value) });
}

export function noteLive(run: RunDraft, { current, manifest }: LiveSnapshot): void {
  run.snapshotId = current.snapshotId;
  run.generation = current.generation;
  run.livePrograms = manifest?.programs.count ?? null;
}

/** Guards and holds refuse a build; everything else fails it. */
export function noteFailure(run: RunDraft, { code, message }: Failure): void {
  run.outcome = refusals.has(code) ? "refused" : "failed";
  run.failure = { code, message };
}

const refusals: ReadonlySet<FailureCode> = new Set([
  "shrink_guard",
  "field_guard",
  "scale_guard",
  "shared_guard",
  "vanished_guard",
  "store_unsupported",
]);

/** `ProgramCounts` that a build still adds to. */
export type ProgramTally = { -readonly [Name in keyof ProgramCounts]-?: number };

export const noPrograms: Readonly<ProgramTally> = {
  programs: 0,
  added: 0,
  changed: 0,
  removed: 0,
  unchanged: 0,
  notPublishable: 0,
  invalid: 0,
  withdrawn: 0,
};

/** The counts of a build that publishes only withdrawals. `programs`: those that partners see afterwards. */
export function countsOfKept(programs: number, found: Partial<ProgramCounts>): ProgramCounts {
  const { notPublishable = 0, invalid = 0, withdrawn = 0 } = found;
  return {
    ...noPrograms,
    programs,
    unchanged: programs,
    removed: withdrawn,
    notPublishable,
    invalid,
    withdrawn,
  };
}

/** The problems of one tenant as reports show them. */
export type Findings = Pick<TenantRun, "problems" | "problemsOmitted" | "problemCounts">;

/** The problems of one tenant: all counted, the first ones kept, errors before warnings. */
export class ProblemLog {
  readonly #kept: Record<"error" | "warning", DataProblem[]> = { error: [], warning: [] };
  readonly #counts = new Map<ProblemCode, number>();
  #total = 0;

  add(problem: DataProblem): void {
    this.#total += 1;
    this.#counts.set(problem.code, (this.#counts.get(problem.code) ?? 0) + 1);
    const kept = this.#kept[severityOf(problem.code)];
    if (kept.length < maxTenantFindings) kept.push(problem);
  }

  get findings(): Findings {
    const kept = [...this.#kept.error, ...this.#kept.warning].slice(0, maxTenantFindings);
    return {
      problems: kept.map(reportedProblem),
      problemsOmitted: this.#total - kept.length,
      problemCounts: sorted(this.#counts),
    };
  }
}

function sorted(counts: Iterable<[string, number]>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
