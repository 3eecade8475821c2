import { countingStore } from "../../core/counting-store.ts";
import type { Current } from "../../core/current.ts";
import { asFailure, Failure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import type { TenantRun } from "../../schemas/generated/types.ts";
import { attemptTenant, type BuildContext, type BuildOptions, newAttemptRecord } from "./attempt-tenant.ts";
import { noPrograms } from "./program-counts.ts";

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
      const ended = await attemptTenant(tenantId, options, { ...context, store }, record).finally(() => {
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
  }
  const { before, after, counts, recalled } = record;
  if (record.isManifestUnreadable) {
    const value = before?.snapshotId ?? null;
    record.problems.add({ code: "manifest_unreadable", programId: null, field: null, value });
  }
  const live = after ?? before;
  if (live !== undefined && failure === undefined && !options.dryRun) {
    const { manifests: known } = record;
    await context.followLive?.(store, live, { known, rewrite: options.rewrite });
  }
  const { problems, problemsOmitted, problemCounts } = recalled ?? record.problems.findings;
  return {
    tenantId,
    outcome: outcome ?? failureOutcome(failure),
    snapshotId: live?.snapshotId ?? null,
    generation: live?.generation ?? null,
    previousSnapshotId: before?.snapshotId ?? null,
    counts,
    durationMs: Math.max(0, context.now().getTime() - startedAt.getTime()),
    requests: store.requests(),
    bytesWritten,
    failure: failureText(failure, before),
    problems,
    problemsOmitted,
    problemCounts,
  };
}

/** The result for a tenant whose turn did not come, or that another builder has built. */
export function notBuilt(tenantId: TenantId, outcome: "skipped" | "elsewhere"): TenantRun {
  return {
    tenantId,
    outcome,
    snapshotId: null,
    generation: null,
    previousSnapshotId: null,
    counts: noPrograms,
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
  return failure?.code === "shrink_guard" || failure?.code === "store_unsupported" ? "refused" : "failed";
}

function asBuildFailure(error: unknown, signal: AbortSignal): Failure {
  return signal.aborted ? new Failure("interrupted", "Interrupted.", { cause: error }) : asFailure(error);
}

function failureText(failure: Failure | undefined, before: Current | undefined): TenantRun["failure"] {
  if (failure !== undefined) return { code: failure.code, message: failure.message };
  if (!before?.hold) return null;
  const message = `On hold since ${before.hold.since}: ${before.hold.reason}. End it with \`snapshot release\`.`;
  return { code: "held", message };
}
