import { asFailure, unlessFailed } from "../../../core/failure.ts";
import { isTenantId, type TenantId } from "../../../core/ids.ts";
import { readLastRuns } from "../../../core/last-runs.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { shortened } from "../../../core/printable.ts";
import type { ProgramTable } from "../../../core/program-table.ts";
import type { Problem, TenantRun } from "../../../schemas/generated/types.ts";
import type { SourcePool } from "../../database/connect.ts";
import { withProblem } from "../content/problem-log.ts";
import { minShared } from "../guards/shared-guard.ts";
import { type ProblemCode, reportedProblem } from "../public-program/problem.ts";
import { shownId } from "../public-program/shown-id.ts";
import type { RemovedTenants } from "../snapshot/removed-tenants.ts";
import { publishedSnapshot } from "../snapshot/stored-snapshot.ts";
import { sharingTenants } from "../source/find-programs.ts";
import { readStrayPrograms, type TenantProblem } from "../source/read-tenants.ts";
import type { ChosenTenants, TenantChoice } from "./chosen-tenants.ts";

/**
 * Adds to the problems what is wrong with the source's tenants as a whole, once those of the run are built. A run of some tenants that
 * changes nothing does not list the store.
 */
export async function reportTenants(
  { pool, store, wanted, removed, problems, signal }: TenantChoice,
  { listed, vanished, failure }: ChosenTenants,
  runs: TenantRun[],
): Promise<void> {
  const isOfAll = wanted.kind === "all";
  if (isOfAll && failure === undefined) await nameStillShared(pool, store, runs, signal);
  const isNews = isOfAll || runs.some(({ outcome }) => outcome !== "unchanged");
  if (listed === undefined || !isNews || signal.aborted) return;
  if (isOfAll && failure === undefined) await reportStrayPrograms(pool, removed, problems);
  problems.push(...vanished.map((id) => runProblem("tenant_vanished", id)));
  const added = runs.flatMap(({ tenantId, outcome, previousSnapshotId: before }) =>
    outcome === "published" && before === null && isTenantId(tenantId) ? [tenantId] : [],
  );
  for (const { from, to } of await renamedTenants(store, vanished, added, signal)) {
    problems.push(runProblem("tenant_renamed", `${from}: ${to} has its programs`));
  }
}

/**
 * P145: a tenant that was published with the programs of another is named by each run of all for as long as their rows are the same,
 * also when it is unchanged. The source is asked only while there is such a tenant.
 */
async function nameStillShared(
  pool: SourcePool,
  store: ObjectStore,
  runs: TenantRun[],
  signal: AbortSignal,
): Promise<void> {
  const last = await unlessFailed(readLastRuns(store, signal), "corrupt_document");
  const wasShared = ({ tenantId }: TenantRun): boolean =>
    isTenantId(tenantId) && last?.tenants.get(tenantId)?.problemCounts.programs_shared !== undefined;
  const isOpen = (run: TenantRun): boolean =>
    (run.outcome === "unchanged" || run.outcome === "published") &&
    run.problemCounts.programs_shared === undefined &&
    wasShared(run);
  if (!runs.some(isOpen)) return;
  // When the source cannot say that it is over, it is not.
  const sharing = await pool
    .withReading(sharingTenants, { statementMs: maxCountingMs })
    .catch(() => undefined);
  for (const [at, run] of runs.entries()) {
    if (!isOpen(run)) continue;
    const others = sharing?.get(run.tenantId) ?? [];
    const count = others.reduce((sum, { programs }) => sum + programs, 0);
    if (sharing !== undefined && count < minShared) continue;
    const value =
      sharing === undefined ? "as before" : `${count} program(s) are those of ${others[0]?.tenantId}`;
    runs[at] = {
      ...run,
      ...withProblem(run, { code: "programs_shared", programId: null, field: null, value }),
    };
  }
}

/**
 * P131: programs that belong to no tenant. They are counted after the builds, so that no tenant waits for it. Those of removed tenants
 * are nobody's mistake.
 */
async function reportStrayPrograms(
  pool: SourcePool,
  removed: RemovedTenants,
  problems: Problem[],
): Promise<void> {
  try {
    const strays = await pool.withReading(readStrayPrograms, { statementMs: maxCountingMs });
    const isRemoved = ({ tenantId }: TenantProblem): boolean =>
      tenantId !== null && isTenantId(tenantId) && removed.has(tenantId);
    problems.push(...strays.filter((stray) => !isRemoved(stray)).map(tenantProblem));
  } catch (error) {
    problems.push(runProblem("source_unasked", asFailure(error).message));
  }
}

const maxCountingMs = 60_000;

/** Looking at more of them costs more than the hint is worth. */
const maxCompared = 20;

/** P13: vanished tenants most of whose programs a new tenant has by id, with that tenant. */
async function renamedTenants(
  store: ObjectStore,
  vanished: readonly TenantId[],
  added: readonly TenantId[],
  signal: AbortSignal,
): Promise<readonly { readonly from: TenantId; readonly to: TenantId }[]> {
  const renamed: { readonly from: TenantId; readonly to: TenantId }[] = [];
  for (const from of added.length === 0 ? [] : vanished.slice(0, maxCompared)) {
    const before = await livePrograms(store, from, signal);
    for (const to of added.slice(0, maxCompared)) {
      const now = await livePrograms(store, to, signal);
      const shared = [...(before?.ids() ?? [])].filter((id) => now?.has(id)).length;
      if (shared * 2 > (before?.count ?? 0)) renamed.push({ from, to });
    }
  }
  return renamed;
}

/** `undefined` when nothing is live, or when it cannot be read. */
async function livePrograms(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<ProgramTable | undefined> {
  const reading = publishedSnapshot(store, tenantId, signal);
  return (await unlessFailed(reading, "corrupt_document"))?.manifest.programs;
}

/** The report schema allows at most this many characters in a value. */
const maxValueLength = 200;

export function tenantProblem({ code, tenantId, programs, rows }: TenantProblem): Problem {
  const counted = programs !== null ? `: ${programs} program(s)` : rows > 1 ? `: ${rows} rows` : "";
  return runProblem(code, `${shownId(tenantId)}${counted}`);
}

export function runProblem(code: ProblemCode, value: string): Problem {
  return reportedProblem({ code, programId: null, field: null, value: shortened(value, maxValueLength) });
}
