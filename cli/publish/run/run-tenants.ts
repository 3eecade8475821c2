import { asFailure, unlessFailed } from "../../../core/failure.ts";
import { isTenantId, type TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { shortened } from "../../../core/printable.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import type { SourcePool } from "../../database/connect.ts";
import { type ProblemCode, reportedProblem } from "../public-program/problem.ts";
import { shownId } from "../public-program/shown-id.ts";
import { editRemovedTenants, type RemovedTenants, readRemovedTenants } from "../snapshot/removed-tenants.ts";
import { keptTenants } from "../snapshot/stored-tenants.ts";
import { readStrayPrograms, type TenantProblem } from "../source/read-tenants.ts";

/**
 * The removed tenants, read before the source, so that a tenant that is removed meanwhile does not look like one that came back.
 * A damaged document keeps only new tenants from being published (P12).
 */
export async function knownRemovals(store: ObjectStore, signal: AbortSignal): Promise<RemovedTenants> {
  const removed = readRemovedTenants(store, signal);
  return (await unlessFailed(removed, "corrupt_document", "store_denied")) ?? new Map();
}

/**
 * P91: the tenants that were removed once and are in the source again. They are no longer removed from now on. Their tokens stay
 * revoked.
 */
export async function reinstateReturned(
  store: ObjectStore,
  tenants: readonly TenantId[],
  removed: RemovedTenants,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<readonly TenantId[]> {
  const returned = tenants.filter((tenantId) => removed.has(tenantId));
  if (returned.length === 0 || dryRun) return returned;
  // Another time means that the tenant was removed again.
  const isBack = (tenantId: TenantId, removedAt: string): boolean =>
    returned.includes(tenantId) && removed.get(tenantId) === removedAt;
  await editRemovedTenants(store, signal, (stored) => {
    const kept = [...stored].filter(([tenantId, removedAt]) => !isBack(tenantId, removedAt));
    return kept.length === stored.size ? stored : new Map(kept);
  });
  return returned;
}

/**
 * P131: programs that belong to no tenant. They are counted after the builds, so that no tenant waits for it. Those of removed tenants
 * are nobody's mistake.
 */
export async function reportStrayPrograms(
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

/** The stored tenants, removed ones aside, that the source does not list. */
export async function unlistedTenants(
  store: ObjectStore,
  removed: RemovedTenants,
  listed: readonly TenantId[],
  signal: AbortSignal,
): Promise<readonly TenantId[]> {
  const known = new Set(listed);
  const unlisted: TenantId[] = [];
  for await (const tenantId of keptTenants(store, removed, signal)) {
    if (!known.has(tenantId)) unlisted.push(tenantId);
  }
  return unlisted;
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
