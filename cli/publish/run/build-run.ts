import { forEachBounded } from "../../../core/bounded-work.ts";
import { countingStore } from "../../../core/counting-store.ts";
import { asFailure, Failure } from "../../../core/failure.ts";
import { parseSnapshotId, snapshotId, type TenantId } from "../../../core/ids.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { runKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { packageVersion } from "../../../core/package-version.ts";
import { documentBytes } from "../../../core/stored-document.ts";
import type { Problem, RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { SourcePool } from "../../database/connect.ts";
import { hasSqlState } from "../../database/source-client.ts";
import { exitStatusOf } from "../../shell/exit-status.ts";
import { findSharedPrograms } from "../guards/shared-guard.ts";
import { knownSandbox } from "../sandbox/sandbox-document.ts";
import { knownRemovals, reinstateReturned } from "../snapshot/removed-tenants.ts";
import { requireSourceStructure } from "../source/check-structure.ts";
import { databaseRows, unreadableRows, type WithTenantRows } from "../source/tenant-rows.ts";
import type { BuildContext, BuildOptions } from "../tenant/build-context.ts";
import { notBuilt } from "../tenant/build-report.ts";
import { buildTenant, readingFailures } from "../tenant/build-tenant.ts";
import { type ChosenTenants, chosenTenants, type WantedTenants } from "./chosen-tenants.ts";
import { reportTenants, runProblem } from "./run-findings.ts";
import { createProblemBudget, runOutcome, runTotals } from "./run-report.ts";
import { shardText } from "./shard.ts";

/** Decides when which tenant of a run is built: calls `build` once for each. */
export type BuildSchedule = (
  tenants: readonly TenantId[],
  build: (tenantId: TenantId) => Promise<void>,
) => Promise<void>;

export interface RunContext extends Omit<BuildContext, "withRows" | "findShared"> {
  /** The booking database. */
  readonly pool: SourcePool;
  readonly schedule: BuildSchedule;
  readonly onTenants: (count: number) => void;
  readonly onTenantDone: (run: TenantRun) => void;
}

/** Builds the tenants in the order of the schedule. Never throws: see the report's `failure`. */
export async function buildRun(
  wanted: WantedTenants,
  options: BuildOptions,
  given: RunContext,
): Promise<RunReport> {
  const context = { ...given, pool: withLockPatience(given.pool) };
  const startedAt = context.now();
  const runId = snapshotId(startedAt, context.randomBytes(4));
  const store = countingStore(context.store);
  const runs: TenantRun[] = [];
  const withinBudget = createProblemBudget();
  const problems: Problem[] = [];
  let failure: Failure | undefined;
  const ofDatabase = databaseRows(context.pool, options.rules.limits);
  let unreadable: ChosenTenants["unreadable"] = () => undefined;
  const withRows: WithTenantRows = (tenantId, read) => {
    const whyNot = unreadable(tenantId);
    return (whyNot === undefined ? ofDatabase : unreadableRows(whyNot, ofDatabase))(tenantId, read);
  };
  const shared = findSharedPrograms(context.pool, store, options.rules, context.signal);
  const build = async (tenantId: TenantId): Promise<void> => {
    const tenantContext = { ...context, store, withRows, findShared: shared };
    const run = context.signal.aborted
      ? notBuilt(tenantId, "skipped")
      : await buildTenant(tenantId, options, tenantContext);
    runs.push(withinBudget(run));
    context.onTenantDone(run);
  };
  try {
    const named = knownSandbox(store, context.signal);
    named.catch(() => {});
    const removed = await knownRemovals(store, context.signal);
    const sandbox = await named;
    const { allowVanished } = options;
    const choice = { ...context, store, wanted, sandbox, removed, allowVanished, problems };
    const chosen = await chosenTenants(choice);
    ({ failure, unreadable } = chosen);
    const { tenants } = chosen;
    const readable = tenants.filter((id) => chosen.unreadable(id) === undefined);
    const { dryRun } = options;
    const returned = await reinstateReturned(store, readable, removed, { dryRun, signal: context.signal });
    problems.push(...returned.map((id) => runProblem("tenant_returned", id)));
    context.onTenants(tenants.length);
    await context.schedule(tenants, build);
    await reportTenants(choice, chosen, runs);
  } catch (error) {
    failure = context.signal.aborted ? new Failure("interrupted", "Interrupted.") : asFailure(error);
  }
  if (wanted.kind === "notified") failure = (await changedViews(failure, runs, context)) ?? failure;
  runs.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  const finishedAt = context.now();
  const { outcome, exitStatus } =
    failure === undefined
      ? runOutcome(runs, problems, {
          dryRun: options.dryRun,
          // P9: a notification is no request of an operator for this tenant.
          askedFor: wanted.kind === "asked",
          onInvalid: options.onInvalid,
        })
      : { outcome: "failed" as const, exitStatus: exitStatusOf(failure.code) };
  return {
    format: "partner-programs/run-report@1",
    runId,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    durationMs: Math.max(0, finishedAt.getTime() - startedAt.getTime()),
    outcome: context.signal.aborted ? "interrupted" : outcome,
    exitStatus: context.signal.aborted ? 130 : exitStatus,
    version: packageVersion(),
    options: {
      tenants: namedTenants(wanted),
      shard: wanted.kind === "all" && wanted.shard !== undefined ? shardText(wanted.shard) : null,
      concurrency: options.concurrency,
      onInvalid: options.onInvalid,
      allowShrink: options.allowShrink,
      allowEmptied: options.allowEmptied,
      allowShared: options.allowShared,
      allowVanished: options.allowVanished,
      dryRun: options.dryRun,
      legacyCapacity: options.rules.legacyCapacity,
      terminalStatuses: [...options.rules.terminalStatuses],
    },
    storeRequests: store.requests(),
    totals: runTotals(runs, problems),
    failure: failure === undefined ? null : { code: failure.code, message: failure.message },
    tenants: runs,
    problems,
  };
}

/** Builds at most `concurrency` tenants at a time, in their order. */
export function boundedSchedule(concurrency: number): BuildSchedule {
  return (tenants, build) => forEachBounded(tenants, concurrency, build);
}

/** Stores the report under `runs/`, for `snapshot status`. */
export async function storeRunReport(store: ObjectStore, report: RunReport): Promise<void> {
  await store.put(runKey(parseSnapshotId(report.runId)), bytesBody(documentBytes(report)));
}

function namedTenants(wanted: WantedTenants): string[] | null {
  if (wanted.kind === "all") return null;
  return wanted.kind === "asked" ? [...wanted.tenantIds] : [wanted.tenantId];
}

/**
 * Why the views break their contract, if they do. Only rounds check the views, so a notified tenant's query may fail first after a
 * change of a view. The check's failure then replaces it, because it names the fix.
 */
async function changedViews(
  failure: Failure | undefined,
  runs: readonly TenantRun[],
  { pool, signal }: RunContext,
): Promise<Failure | undefined> {
  const code = failure?.code ?? runs.find((run) => run.failure !== null)?.failure?.code;
  if (code === undefined || signal.aborted || !readingFailures.has(code)) return undefined;
  try {
    await pool.withReading(requireSourceStructure);
    return undefined;
  } catch (error) {
    const found = asFailure(error);
    return found.code === "source_contract" ? found : undefined;
  }
}

export interface LockPatience {
  /** How long a reading waits for a lock. */
  readonly firstMs: number;
  /** The time that all readings together may lose to locks that are not released. */
  readonly allMs: number;
  /** How long each reading waits for a lock after that. */
  readonly eachMs: number;
}

/**
 * Readings of a run share one allowance of time for locks that are not released (P130). Otherwise one locked table would keep
 * each tenant waiting in turn. A lock that is released in time takes nothing from it.
 */
export function withLockPatience(
  pool: SourcePool,
  { firstMs, allMs, eachMs }: LockPatience = ofRun,
): SourcePool {
  let leftMs = allMs;
  return {
    async withReading(read, limits) {
      const startedAt = performance.now();
      try {
        return await pool.withReading(read, { lockMs: leftMs > 0 ? firstMs : eachMs, ...limits });
      } catch (error) {
        if (hasSqlState(asFailure(error).cause, "55P03")) leftMs -= performance.now() - startedAt;
        throw error;
      }
    },
  };
}

const ofRun: LockPatience = { firstMs: 15_000, allMs: 60_000, eachMs: 1000 };
