import { countingStore } from "../../../core/counting-store.ts";
import type { Current } from "../../../core/current.ts";
import { asFailure, Failure, type FailureCode } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { snapshotsPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { ProblemLog, withProblem } from "../content/problem-log.ts";
import { noPrograms } from "../content/program-counts.ts";
import { type DataProblem, type ProblemCode, shownValue } from "../public-program/problem.ts";
import type { AttemptFacts, AttemptOutcome, BuildContext } from "./attempt.ts";
import { attemptTenant } from "./attempt-tenant.ts";
import type { BuildOptions } from "./build-options.ts";

const noFindings = new ProblemLog().findings;
/** The most restarts of a build that lost to another builder or to a prune. */
const maxRestarts = 3;

/** Never throws: a failure is in the result, so that other tenants go on (P12). */
export async function buildTenant(
  tenantId: TenantId,
  options: BuildOptions,
  context: BuildContext,
): Promise<TenantRun> {
  const startedAt = context.now();
  const requests = countingStore(context.store);
  const { store, bytesWritten } = countingSnapshotBytes(requests, tenantId);
  const attempted = await attemptUntilDecided(tenantId, options, { ...context, store });
  const { facts } = attempted;
  const failure = attempted.kind === "failed" ? asBuildFailure(attempted.error, context.signal) : undefined;
  const outcome = outcomeOf(attempted.kind, failure);
  const { before, after, counts = noPrograms } = facts;
  const findings = problemsOfTheTenant(facts, outcome).reduce(withProblem, facts.findings ?? noFindings);
  return {
    ...notBuilt(tenantId, outcome),
    snapshotId: after?.snapshotId ?? null,
    generation: after?.generation ?? null,
    previousSnapshotId: before?.snapshotId ?? null,
    confirmedAt: facts.confirmedAt?.toISOString() ?? null,
    counts,
    livePrograms: after === undefined ? null : (facts.livePrograms ?? null),
    leftOut: [...(facts.leftOut ?? [])],
    ...(facts.changes === undefined ? {} : { changes: facts.changes }),
    durationMs: Math.max(0, context.now().getTime() - startedAt.getTime()),
    requests: requests.requests(),
    bytesWritten: bytesWritten(),
    failure: outcome === "skipped" ? null : failureText(failure, before),
    ...findings,
  };
}

type Decided = Exclude<AttemptOutcome, { kind: "superseded" | "lists-damaged" }>;

/**
 * Attempts the tenant again, from a fresh reading, while other builders are faster, and once more when the live lists are
 * damaged.
 */
async function attemptUntilDecided(
  tenantId: TenantId,
  options: BuildOptions,
  context: BuildContext,
): Promise<Decided> {
  let [areListsDamaged, statesAfterMs] = [false, context.statesAfterMs];
  for (let superseded = 0; ; ) {
    const attempt = { ...context, statesAfterMs };
    const outcome = await attemptTenant(tenantId, options, attempt, areListsDamaged);
    if (outcome.kind === "lists-damaged") {
      areListsDamaged = true;
      continue;
    }
    if (outcome.kind !== "superseded") return outcome;
    // P130: the attempt may have lost to its own withdrawals, so the next one withdraws nothing while it reads.
    statesAfterMs = undefined;
    superseded += 1;
    if (superseded <= maxRestarts) continue;
    const error = new Failure(
      "superseded",
      `Tenant ${tenantId} was published by other builders ${superseded} times meanwhile; their snapshot stays.`,
    );
    return { kind: "failed", error, facts: outcome.facts };
  }
}

/** The store, and how many bytes of the tenant's snapshots were put into it. */
function countingSnapshotBytes(
  store: ObjectStore,
  tenantId: TenantId,
): { readonly store: ObjectStore; readonly bytesWritten: () => number } {
  const prefix = snapshotsPrefix(tenantId);
  let bytes = 0;
  const put: ObjectStore["put"] = async (key, body, options) => {
    const result = await store.put(key, body, options);
    if (result.kind === "stored" && key.startsWith(prefix)) bytes += body.size;
    return result;
  };
  return { store: { ...store, put }, bytesWritten: () => bytes };
}

/** Findings about the tenant itself, which no memory keeps. */
function problemsOfTheTenant(facts: AttemptFacts, outcome: TenantRun["outcome"]): DataProblem[] {
  const isDone = ["published", "unchanged", "held", "would-publish"].includes(outcome);
  const found: DataProblem[] = isDone ? [...(facts.changeProblems ?? [])] : [];
  const add = (code: ProblemCode, value: string | null): void => {
    found.push({ code, programId: null, field: null, value: shownValue(value) });
  };
  if (facts.isManifestUnreadable) add("manifest_unreadable", facts.before?.snapshotId ?? null);
  if (facts.memoryFailure !== undefined) add("memory_unwritten", facts.memoryFailure.message);
  if (facts.withdrawalFailure !== undefined) add("withdrawals_unknown", facts.withdrawalFailure.message);
  // P22: partners see an empty list.
  const left = outcome === "would-publish" ? facts.counts?.programs : facts.livePrograms;
  if (left === 0) add("snapshot_empty", null);
  return found;
}

/** The result for a tenant whose turn did not come, or that another builder has built. */
export function notBuilt(tenantId: TenantId, outcome: TenantRun["outcome"]): TenantRun {
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

function outcomeOf(kind: Decided["kind"], failure: Failure | undefined): TenantRun["outcome"] {
  if (kind !== "failed" || failure === undefined) return kind;
  // P52: a tenant does not fail because somebody ended the run.
  if (failure.code === "interrupted") return "skipped";
  return refusals.has(failure.code) ? "refused" : "failed";
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
