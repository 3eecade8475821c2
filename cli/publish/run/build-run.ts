import { setTimeout as delay } from "node:timers/promises";
import { asFailure, Failure } from "../../../core/ground/failure.ts";
import { snapshotId, type TenantId } from "../../../core/ground/ids.ts";
import { packageVersion } from "../../../core/process/package-version.ts";
import { countingStore } from "../../../core/store/counting-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { SourcePool } from "../../database/connect.ts";
import { hasSqlState, isPassing } from "../../database/source-client.ts";
import { exitStatuses } from "../../shell/exit-status.ts";
import { createSharedGuard } from "../guards/shared-guard.ts";
import { knownRemovals, reinstateReturned } from "../snapshot/removed-tenants.ts";
import { knownSandbox } from "../snapshot/sandbox-tenant.ts";
import { databaseRows, unreadableRows, type WithTenantRows } from "../source/tenant-rows.ts";
import type { BuildContext, BuildOptions, EndedBuild, ReadAgain } from "../tenant/build-context.ts";
import { notBuilt } from "../tenant/build-report.ts";
import { buildTenant } from "../tenant/build-tenant.ts";
import { chooseTenants, type WantedTenants } from "./choose-tenants.ts";
import { addSourceProblems, RunProblems, runProblem } from "./run-findings.ts";
import { createReportBudget, runOutcome, runTotals } from "./run-report.ts";
import { SpotChoice, spotCheck } from "./spot-check.ts";

/** A tenant that a run leaves out, since a build of it that began before has not ended. */
export type StillUnderWay = NonNullable<RunReport["underWay"]>[number];

/** Decides when which tenant of a run is built: calls `build` once for each but those that it gives back. */
export type BuildSchedule = (
  tenants: readonly TenantId[],
  build: (tenantId: TenantId) => Promise<void>,
) => Promise<readonly StillUnderWay[]>;

export interface RunContext extends Omit<BuildContext, "withRows" | "sharedGuard" | "readAgain" | "onEnded"> {
  /** The booking database. */
  readonly pool: SourcePool;
  readonly schedule: BuildSchedule;
  /** P224: whether this run is to prove some of what it took over. */
  readonly isSpotCheckDue: () => boolean;
  readonly onTenants: (count: number) => void;
  /** Hears of each tenant when its build has ended, and again when more was found of it later. */
  readonly onTenantDone: (run: TenantRun, runId: string) => void;
}

/** Builds the wanted tenants and says what became of them. Never throws: see the report's `failure`. */
export async function buildRun(
  wanted: WantedTenants,
  options: BuildOptions,
  given: RunContext,
): Promise<RunReport> {
  const { signal, now } = given;
  const startedAt = now();
  const runId = snapshotId(startedAt, given.randomBytes(4));
  const store = countingStore(given.store);
  const context = { ...given, store, pool: withLockPatience(given.pool), readAgain: createReadAgain(signal) };
  const tenants: TenantRun[] = [];
  const underWay: StillUnderWay[] = [];
  const problems = new RunProblems();
  const found = { tenants, underWay, problems };
  const failure = await buildTenants(runId, wanted, options, context, found).catch((error: unknown) =>
    signal.aborted ? new Failure("interrupted", "Interrupted.") : asFailure(error),
  );
  tenants.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  const finishedAt = now();
  const { dryRun, onInvalid, concurrency, rules } = options;
  const { allowShrink, allowEmptied, allowShared, allowScaled, allowVanished } = options;
  // P9: a notification is no request of an operator for this tenant.
  const judged = { dryRun, onInvalid, askedFor: wanted.kind === "asked" };
  const { outcome, exitStatus } = signal.aborted
    ? { outcome: "interrupted" as const, exitStatus: 130 as const }
    : failure === undefined
      ? runOutcome(tenants, problems.found.problems, judged)
      : { outcome: "failed" as const, exitStatus: exitStatuses[failure.code] };
  const shard = wanted.kind === "all" ? wanted.shard : undefined;
  return {
    format: "partner-programs/run-report@1",
    runId,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    durationMs: Math.max(0, finishedAt.getTime() - startedAt.getTime()),
    outcome,
    exitStatus,
    version: packageVersion(),
    options: {
      tenants: wanted.kind === "all" ? null : [...wanted.tenantIds],
      shard: shard === undefined ? null : `${shard.index}/${shard.count}`,
      ...{ concurrency, onInvalid, dryRun },
      ...{ allowShrink, allowEmptied, allowShared, allowScaled, allowVanished },
      legacyCapacity: rules.legacyCapacity,
      terminalStatuses: [...rules.terminalStatuses],
    },
    storeRequests: store.requests(),
    totals: runTotals(tenants, problems.found.problemCounts),
    failure: failure === undefined ? null : { code: failure.code, message: failure.message },
    tenants,
    ...(underWay.length > 0 && { underWay }),
    ...problems.found,
  };
}

/** What a run finds out as it goes. */
interface RunFindings {
  readonly tenants: TenantRun[];
  readonly underWay: StillUnderWay[];
  readonly problems: RunProblems;
}

/**
 * Builds the tenants and looks at the source as a whole; adds to what was found as it goes. Returns why the
 * run as a whole failed, if it did; stated withdrawals are published all the same.
 */
async function buildTenants(
  runId: string,
  wanted: WantedTenants,
  options: BuildOptions,
  context: RunContext & { readonly readAgain: ReadAgain },
  { tenants: runs, underWay, problems }: RunFindings,
): Promise<Failure | undefined> {
  const { pool, store, signal, schedule, readAgain, onTenants, onTenantDone } = context;
  const { rules, dryRun, allowVanished } = options;
  const [sandbox, removed] = await Promise.all([knownSandbox(store, signal), knownRemovals(store, signal)]);
  const choice = { pool, readAgain, store, wanted, sandbox, removed, allowVanished, problems, signal };
  const { tenants, failure, vanished } = await chooseTenants(choice);

  const readable = [...tenants.keys()].filter((tenantId) => tenants.get(tenantId) === undefined);
  const returned = await reinstateReturned(store, readable, removed, { dryRun, signal });
  for (const tenantId of returned) problems.add(runProblem("tenant_returned", tenantId));

  const fromDatabase = databaseRows(pool, rules.limits);
  const withRows: WithTenantRows = (tenantId, read) => {
    const whyNot = tenants.get(tenantId);
    return (whyNot === undefined ? fromDatabase : unreadableRows(whyNot, fromDatabase))(tenantId, read);
  };
  const sharedGuard = createSharedGuard(pool, store, signal);
  const isNotified = wanted.kind === "notified";
  const withinBudget = createReportBudget();
  onTenants(tenants.size);
  const mayCheck = wanted.kind === "all" && failure === undefined && !dryRun;
  const spots = mayCheck && context.isSpotCheckDue() ? new SpotChoice(runId) : undefined;
  const building = { ...context, withRows, sharedGuard, isNotified };
  const onEnded = (build: EndedBuild) => spots?.offer(build);
  const leftOut = await schedule([...tenants.keys()], async (tenantId) => {
    const run = signal.aborted
      ? notBuilt(tenantId, "skipped")
      : await buildTenant(tenantId, options, { ...building, onEnded });
    runs.push(withinBudget(run));
    onTenantDone(run, runId);
  });
  for (const each of leftOut) underWay.push(each);
  const place = runs.findIndex(({ tenantId }) => tenantId === spots?.candidate?.tenantId);
  const checked = runs[place];
  if (spots?.candidate !== undefined && checked !== undefined && !signal.aborted) {
    const rebuild = (tenantId: TenantId) => buildTenant(tenantId, { ...options, rewrite: true }, building);
    const found = await spotCheck(spots.candidate, checked, { ...context, options, rebuild });
    if (found !== undefined) runs[place] = withinBudget(found);
    if (found !== undefined) onTenantDone(found, runId);
  }
  if (vanished !== undefined && !signal.aborted) {
    await addSourceProblems(choice, vanished, failure === undefined, runs);
  }
  return failure;
}

/** P195: tenants and questions are read again after a passing error: once, and few, as it costs a pause. */
export function createReadAgain(signal: AbortSignal, pauseMs = 1000): ReadAgain {
  const again = new Set<unknown>();
  return async (what, error) => {
    if (!isPassing(asFailure(error).cause) || again.has(what) || again.size >= maxReadAgain) return false;
    again.add(what);
    await delay(pauseMs * (0.5 + Math.random()), undefined, { signal });
    return true;
  };
}

const maxReadAgain = 10;

/** How long a reading waits for a lock, how long a run's readings may together, and each after that. */
const patience = { firstMs: 15_000, allMs: 60_000, eachMs: 1000 };

/** P130: a run's readings share one allowance for held locks, or one lock would stop each in turn. */
export function withLockPatience(pool: SourcePool, { firstMs, allMs, eachMs } = patience): SourcePool {
  let leftMs = allMs;
  return {
    ...pool,
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
