import { asFailure, unlessFailed } from "../../../core/ground/failure.ts";
import { isTenantId, type TenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { Problem, TenantRun } from "../../../schemas/generated/types.ts";
import { type SourcePool, textRows } from "../../database/connect.ts";
import { type ProblemCode, reportedProblem, shownId } from "../public-program/problem.ts";
import type { RemovedTenants } from "../snapshot/removed-tenants.ts";
import { publishedSnapshot } from "../snapshot/stored-snapshot.ts";
import { statesQuery } from "../source/program-queries.ts";
import { readStrayPrograms, type TenantProblem } from "../source/read-tenants.ts";

/** P216: a run's findings that are of no tenant. All are counted, and the first of each kind are kept. */
export class RunProblems {
  readonly #kept: Problem[] = [];
  readonly #counts: Record<string, number> = {};

  add(problem: Problem): void {
    const count = (this.#counts[problem.code] ?? 0) + 1;
    this.#counts[problem.code] = count;
    // There are no more of these than live tenants, and what is known of each is kept by its name (P23).
    const isOfLiveTenant = problem.code === "tenant_vanished";
    if (count <= maxOfKind || isOfLiveTenant) this.#kept.push(problem);
  }

  get found() {
    const total = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    const [problems, problemsOmitted] = [this.#kept, total - this.#kept.length];
    return { problems, problemsOmitted, problemCounts: this.#counts };
  }
}

/** A view may name any number of tenants that do not exist. No kind of finding hides another one. */
const maxOfKind = 200;

/** Where the tenants of a run come from. */
export interface RunSources {
  readonly pool: SourcePool;
  readonly store: ObjectStore;
  readonly removed: RemovedTenants;
  /** Findings about the list of tenants are added here. */
  readonly problems: RunProblems;
  readonly signal: AbortSignal;
}

/** Adds what is wrong with the source's tenants as a whole, once those of a run of all are built. */
export async function addSourceProblems(
  choice: RunSources,
  vanished: readonly TenantId[],
  mayRead: boolean,
  runs: readonly TenantRun[],
): Promise<void> {
  const added = runs.flatMap(({ tenantId, outcome, failure, previousSnapshotId: before }) => {
    // P144: a first snapshot may be refused because it is another tenant's under a new id.
    const isNew = outcome === "published" || failure?.code === "shared_guard";
    return isNew && before === null && isTenantId(tenantId)
      ? [{ tenantId, isRefused: failure !== null }]
      : [];
  });
  const problems = [
    ...(mayRead ? await strayPrograms(choice) : []),
    ...vanished.map((tenantId) => runProblem("tenant_vanished", tenantId)),
    ...(await renamedTenants(choice, vanished, added)),
  ];
  for (const problem of problems) choice.problems.add(problem);
}

/** P130: programs of no tenant, removed ones aside. Counted after the builds, so that no tenant waits. */
async function strayPrograms({ pool, removed }: RunSources): Promise<readonly Problem[]> {
  try {
    const strays = await pool.withReading(readStrayPrograms, { statementMs: maxCountingMs });
    const isRemoved = (id: string | null): boolean => id !== null && isTenantId(id) && removed.has(id);
    return strays.filter(({ tenantId }) => !isRemoved(tenantId)).map(tenantProblem);
  } catch (error) {
    return [runProblem("source_unasked", asFailure(error).message)];
  }
}

const maxCountingMs = 60_000;

/** Looking at more of them costs more than the hint is worth. */
const maxCompared = 20;

/** P13: vanished tenants most of whose programs a new tenant has by id, with that tenant. */
async function renamedTenants(
  { pool, store, signal }: RunSources,
  vanished: readonly TenantId[],
  added: readonly { readonly tenantId: TenantId; readonly isRefused: boolean }[],
): Promise<readonly Problem[]> {
  // Nothing where nothing is live, or where it cannot be read.
  const programsOf = async (tenantId: TenantId) =>
    (await unlessFailed(publishedSnapshot(store, tenantId, signal), "corrupt_document"))?.manifest.programs;
  const readRows = async (tenantId: TenantId): Promise<ReadonlySet<string | null | undefined>> => {
    const reading = pool.withReading((client) => textRows(client, statesQuery, [tenantId]));
    return new Set((await reading.catch(() => [])).map(([programId]) => programId));
  };
  const renamed: Problem[] = [];
  for (const from of added.length === 0 ? [] : vanished.slice(0, maxCompared)) {
    const before = await programsOf(from);
    for (const { tenantId: to, isRefused } of added.slice(0, maxCompared)) {
      const now = await (isRefused ? readRows(to) : programsOf(to));
      const shared = [...(before?.ids() ?? [])].filter((id) => now?.has(id)).length;
      if (shared * 2 <= (before?.count ?? 0)) continue;
      renamed.push(runProblem("tenant_renamed", `${from}: ${to} has its programs`));
    }
  }
  return renamed;
}

export function tenantProblem({ code, tenantId, counted, count }: TenantProblem): Problem {
  const rows = code === "tenant_duplicate" ? "further rows" : "rows";
  const unit = counted === "programs" ? "program(s)" : rows;
  // One row goes without saying.
  const told = counted === "rows" && count === 1 ? "" : `: ${count} ${unit}`;
  return runProblem(code, `${shownId(tenantId)}${told}`);
}

export function runProblem(code: ProblemCode, value: string): Problem {
  return reportedProblem({ code, programId: null, field: null, value });
}
