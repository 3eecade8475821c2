import { countingStore } from "../../../core/counting-store.ts";
import type { Current } from "../../../core/current.ts";
import { asFailure, Failure, type FailureCode } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { withProblem } from "../content/problem-log.ts";
import { noPrograms } from "../content/program-counts.ts";
import { type DataProblem, type ProblemCode, shownValue } from "../public-program/problem.ts";
import { type AttemptRecord, type BuildContext, type BuildOptions, newAttemptRecord } from "./attempt.ts";
import { attemptTenant } from "./attempt-tenant.ts";

/** A build that lost to another builder or to a prune starts again from a fresh reading at most this often. */
const maxRestarts = 3;

/** Builds and publishes one tenant. Never throws: what went wrong is in the result, and stops no other (P12). */
export async function buildTenant(
  tenantId: TenantId,
  options: BuildOptions,
  context: BuildContext,
): Promise<TenantRun> {
  const startedAt = context.now();
  const store = countingStore(context.store);
  let record = newAttemptRecord();
  let bytesWritten = 0;
  let outcome: TenantRun["outcome"] | undefined;
  let failure: Failure | undefined;
  try {
    for (let restart = 0; outcome === undefined; restart += 1) {
      record = newAttemptRecord();
      // P130: an attempt that was outdated by its own withdrawals is not outdated so again.
      const statesAfterMs = restart === 0 ? context.statesAfterMs : undefined;
      const attempted = { ...context, store, statesAfterMs };
      const ended = await attemptTenant(tenantId, options, attempted, record).finally(() => {
        bytesWritten += record.bytesWritten;
      });
      if (ended !== "superseded") outcome = ended;
      else if (restart === maxRestarts) {
        throw new Failure(
          "superseded",
          `Tenant ${tenantId} was published by other builders ${maxRestarts + 1} times meanwhile; their snapshot stays.`,
        );
      }
    }
  } catch (error) {
    failure = asBuildFailure(error, context.signal);
    // P52: whoever ends a run has not made the tenant fail.
    if (failure.code === "interrupted") [outcome, failure] = ["skipped", undefined];
  }
  const { before, after, counts } = record;
  const live = after ?? before;
  const findings = ofTheTenant(record, outcome).reduce(
    withProblem,
    record.recalled ?? record.problems.findings,
  );
  return {
    tenantId,
    outcome: outcome ?? failureOutcome(failure),
    snapshotId: live?.snapshotId ?? null,
    generation: live?.generation ?? null,
    previousSnapshotId: before?.snapshotId ?? null,
    confirmedAt: record.confirmedAt?.toISOString() ?? null,
    counts,
    livePrograms: live === undefined ? null : (record.livePrograms ?? null),
    leftOut: [...record.leftOut],
    leftOutOmitted: 0,
    ...(record.changes === undefined ? {} : { changes: record.changes }),
    durationMs: Math.max(0, context.now().getTime() - startedAt.getTime()),
    requests: store.requests(),
    bytesWritten,
    failure: outcome === "skipped" ? null : failureText(failure, before),
    ...findings,
  };
}

/** Findings that are about no program, so no memory keeps them. */
function ofTheTenant(record: AttemptRecord, outcome: TenantRun["outcome"] | undefined): DataProblem[] {
  const found: DataProblem[] = outcome === undefined ? [] : [...record.changeProblems];
  const add = (code: ProblemCode, value: string | null): void => {
    found.push({ code, programId: null, field: null, value: shownValue(value) });
  };
  if (record.isManifestUnreadable) add("manifest_unreadable", record.before?.snapshotId ?? null);
  if (record.memoryFailure !== undefined) add("memory_unwritten", record.memoryFailure.message);
  if (record.withdrawalFailure !== undefined) {
    add("withdrawals_unknown", record.withdrawalFailure.message);
  }
  // P22
  const left = outcome === "would-publish" ? record.counts.programs : record.livePrograms;
  if (left === 0) add("snapshot_empty", null);
  return found;
}

/** The result for a tenant whose turn did not come, or that another builder has built. */
export function notBuilt(tenantId: TenantId, outcome: "skipped" | "elsewhere"): TenantRun {
  return {
    tenantId,
    outcome,
    snapshotId: null,
    generation: null,
    previousSnapshotId: null,
    confirmedAt: null,
    counts: noPrograms,
    livePrograms: null,
    leftOut: [],
    leftOutOmitted: 0,
    durationMs: 0,
    requests: { get: 0, put: 0, list: 0, delete: 0 },
    bytesWritten: 0,
    failure: null,
    problems: [],
    problemsOmitted: 0,
    problemCounts: {},
  };
}

function failureOutcome(failure: Failure | undefined): TenantRun["outcome"] {
  return failure !== undefined && refusals.has(failure.code) ? "refused" : "failed";
}

const refusals: ReadonlySet<FailureCode> = new Set([
  "shrink_guard",
  "field_guard",
  "shared_guard",
  "store_unsupported",
]);

function asBuildFailure(error: unknown, signal: AbortSignal): Failure {
  return signal.aborted ? new Failure("interrupted", "Interrupted.", { cause: error }) : asFailure(error);
}

function failureText(failure: Failure | undefined, before: Current | undefined): TenantRun["failure"] {
  if (failure !== undefined) return { code: failure.code, message: failure.message };
  if (!before?.hold) return null;
  const message = `On hold since ${before.hold.since}: ${before.hold.reason}. End it with \`snapshot release\`.`;
  return { code: "held", message };
}
