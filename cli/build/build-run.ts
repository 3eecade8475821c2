import { setTimeout as delay } from "node:timers/promises";
import { countingStore } from "../../core/counting-store.ts";
import { asFailure, Failure } from "../../core/failure.ts";
import { parseSnapshotId, snapshotId, type TenantId } from "../../core/ids.ts";
import { bytesBody } from "../../core/object-body.ts";
import { runKey, tenantsPrefix } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { documentBytes } from "../../core/stored-document.ts";
import type { Problem, RunReport, TenantRun } from "../../schemas/generated/types.ts";
import type { SourceClient } from "../database/connect.ts";
import { type ProblemCode, reportedProblem, shownValue } from "../public-program/problem.ts";
import { exitStatusOf } from "../shell/exit-status.ts";
import { readStrayPrograms, readTenantList, type TenantProblem } from "../source/read-tenants.ts";
import type { BuildContext, BuildOptions } from "./attempt.ts";
import { buildTenant, notBuilt } from "./build-tenant.ts";
import { createProblemBudget } from "./problem-budget.ts";
import { runOutcome, runTotals } from "./run-outcome.ts";
import type { TenantClaims } from "./tenant-claims.ts";

export interface RunOptions extends BuildOptions {
  /** `undefined`: all tenants of the source. */
  readonly tenants: readonly TenantId[] | undefined;
  /** What a tenant asked for that the source does not list does to the run. */
  readonly unknownTenants: "fail" | "pass_over";
  readonly concurrency: number;
  /** As given, for the report. */
  readonly terminalStatuses: readonly string[];
}

export interface RunContext extends BuildContext {
  readonly version: string;
  readonly claims: TenantClaims;
  /** Throws `source_contract` when the views are not what the contract says. */
  readonly checkSource: (client: SourceClient) => Promise<void>;
  readonly onTenants: (count: number) => void;
  readonly onTenantDone: (run: TenantRun) => void;
}

/** Builds the tenants, a bounded number at a time, and stores the report of the run. Throws nothing: see `failure`. */
export async function buildRun(options: RunOptions, context: RunContext): Promise<RunReport> {
  const startedAt = context.now();
  const runId = snapshotId(startedAt, context.randomBytes(4));
  const store = countingStore(context.store);
  const runs: TenantRun[] = [];
  const withinBudget = createProblemBudget();
  const problems: Problem[] = [];
  let failure: Failure | undefined;
  try {
    const tenants = await chosenTenants(options, context, problems);
    context.onTenants(tenants.length);
    if (options.tenants === undefined) await reportVanished(store, tenants, problems, context.signal);
    const buildOne = (tenantId: TenantId): Promise<TenantRun> =>
      buildTenant(tenantId, options, { ...context, store });
    await forEachClaimed(tenants, options.concurrency, context, buildOne, (run) => {
      runs.push(withinBudget(run));
      context.onTenantDone(run);
    });
  } catch (error) {
    failure = context.signal.aborted ? new Failure("interrupted", "Interrupted.") : asFailure(error);
  }
  runs.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  const finishedAt = context.now();
  const { outcome, exitStatus } =
    failure === undefined
      ? runOutcome(runs, problems, {
          dryRun: options.dryRun,
          askedFor: options.tenants !== undefined,
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
    version: context.version,
    options: {
      tenants: options.tenants === undefined ? null : [...options.tenants],
      concurrency: options.concurrency,
      onInvalid: options.onInvalid,
      allowShrink: options.allowShrink,
      dryRun: options.dryRun,
      legacyCapacity: options.rules.legacyCapacity,
      terminalStatuses: [...options.terminalStatuses],
    },
    storeRequests: store.requests(),
    totals: runTotals(runs, problems),
    failure: failure === undefined ? null : { code: failure.code, message: failure.message },
    tenants: runs,
    problems,
  };
}

/** Stores the report under `runs/`, for `snapshot status`. */
export async function storeRunReport(store: ObjectStore, report: RunReport): Promise<void> {
  await store.put(runKey(parseSnapshotId(report.runId)), bytesBody(documentBytes(report)));
}

/** D40: the tenants to build, each once and well formed; what is wrong with the others goes to `problems`. */
async function chosenTenants(
  options: RunOptions,
  context: RunContext,
  problems: Problem[],
): Promise<readonly TenantId[]> {
  return await context.pool.withReading(async (client) => {
    await context.checkSource(client);
    const list = await readTenantList(client);
    problems.push(...list.problems.map(tenantProblem));
    if (options.tenants === undefined) {
      problems.push(...(await readStrayPrograms(client)).map(tenantProblem));
      return list.tenants;
    }
    const known = new Set(list.tenants);
    const asked = [...new Set(options.tenants)];
    const unknown = asked.filter((tenantId) => !known.has(tenantId));
    if (unknown.length === 0 || options.unknownTenants === "pass_over") {
      problems.push(...unknown.map((tenantId) => problem("tenant_vanished", tenantId)));
      return asked.filter((tenantId) => known.has(tenantId));
    }
    throw new Failure(
      "not_found",
      `The source's view partner_source.tenants does not list ${unknown.join(", ")}. ` +
        "Nothing was built; check --tenant.",
    );
  });
}

/** P13: a tenant that the source no longer lists keeps its last snapshot; the run names it. */
async function reportVanished(
  store: ObjectStore,
  tenants: readonly TenantId[],
  problems: Problem[],
  signal: AbortSignal,
): Promise<void> {
  const known = new Set<string>(tenants);
  for await (const folder of store.listFolders(tenantsPrefix, { signal })) {
    if (!known.has(folder)) problems.push(problem("tenant_vanished", folder));
  }
}

function tenantProblem({ code, tenantId, programs }: TenantProblem): Problem {
  return problem(code, programs === null ? tenantId : `${shownValue(tenantId)}: ${programs} program(s)`);
}

function problem(code: ProblemCode, value: string | null): Problem {
  return reportedProblem({ code, programId: null, field: null, value: shownValue(value) });
}

/** Builds the tenants that this run can claim, side by side; those that another builder has are tried again last. */
async function forEachClaimed(
  tenants: readonly TenantId[],
  concurrency: number,
  { claims, signal }: RunContext,
  build: (tenantId: TenantId) => Promise<TenantRun>,
  onDone: (run: TenantRun) => void,
): Promise<void> {
  const queue = [...tenants];
  let missesInARow = 0;
  const worker = async (): Promise<void> => {
    for (let tenantId = queue.shift(); tenantId !== undefined; tenantId = queue.shift()) {
      const claim = signal.aborted ? "skipped" : await claims.tryClaim(tenantId);
      switch (claim) {
        case "skipped":
          onDone(notBuilt(tenantId, "skipped"));
          break;
        case "done":
          onDone(notBuilt(tenantId, "elsewhere"));
          break;
        case "taken":
          queue.push(tenantId);
          missesInARow += 1;
          if (missesInARow >= queue.length) await delay(retryTakenMs, undefined, { signal }).catch(() => {});
          break;
        case "ours": {
          missesInARow = 0;
          const run = await build(tenantId);
          await claims.release(tenantId, run.outcome === "published" || run.outcome === "unchanged");
          onDone(run);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, tenants.length) }, worker));
}

/** Pause once all remaining tenants are being built elsewhere. */
const retryTakenMs = 500;
