import type { Current } from "../../../core/current.ts";
import type { Failure, FailureCode } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { ProblemLog, withProblem } from "../content/problem-log.ts";
import { noPrograms } from "../content/program-counts.ts";
import { type DataProblem, type ProblemCode, shownValue } from "../public-program/problem.ts";
import type { Live } from "./build-context.ts";

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

/** Adds a finding about the tenant itself, which no memory keeps. */
export function note(run: RunDraft, problem: DataProblem): void {
  Object.assign(run, withProblem(run, problem));
}

export function noteCode(run: RunDraft, code: ProblemCode, value: string | null): void {
  note(run, { code, programId: null, field: null, value: shownValue(value) });
}

export function noteLive(run: RunDraft, { current, manifest }: Live): void {
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
  "shared_guard",
  "vanished_guard",
  "store_unsupported",
]);
