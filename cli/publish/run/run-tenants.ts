import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { shortened } from "../../../core/printable.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import type { SourcePool } from "../../database/connect.ts";
import { type ProblemCode, reportedProblem } from "../public-program/problem.ts";
import { shownId } from "../public-program/shown-id.ts";
import type { RemovedTenants } from "../snapshot/removed-tenants.ts";
import { keptTenants, publishedTwins } from "../snapshot/stored-tenants.ts";
import { readStrayPrograms, type TenantProblem } from "../source/read-tenants.ts";

/** P131: programs that belong to no tenant. They are counted after the builds, so that no tenant waits for it. */
export async function reportStrayPrograms(pool: SourcePool, problems: Problem[]): Promise<void> {
  try {
    const strays = await pool.withReading(readStrayPrograms, { statementMs: maxCountingMs });
    problems.push(...strays.map(tenantProblem));
  } catch (error) {
    problems.push(runProblem("source_unasked", asFailure(error).message));
  }
}

const maxCountingMs = 60_000;

/** P91: a tenant that was removed and is in the source again is published again; the run names it. */
export function reportReturned(tenants: readonly TenantId[], problems: Problem[]): void {
  for (const tenantId of tenants) problems.push(runProblem("tenant_returned", tenantId));
}

interface ListedTenants {
  readonly isOfAll: boolean;
  /** What the run builds. */
  readonly tenants: readonly TenantId[];
  /** What the source lists. */
  readonly listed: readonly TenantId[];
}

/**
 * P13: a tenant that the source no longer lists keeps its last snapshot; a run of all tenants names it. P146: any run names the
 * published tenants whose ids differ from those of its own `tenants` in case only.
 */
export async function reportUnlisted(
  store: ObjectStore,
  removed: RemovedTenants,
  { isOfAll, tenants, listed }: ListedTenants,
  problems: Problem[],
  signal: AbortSignal,
): Promise<void> {
  const known = new Set(listed);
  const unlisted: TenantId[] = [];
  for await (const tenantId of keptTenants(store, removed, signal)) {
    if (!known.has(tenantId)) unlisted.push(tenantId);
  }
  if (isOfAll) problems.push(...unlisted.map((tenantId) => runProblem("tenant_vanished", tenantId)));
  for (const { tenantId, published } of await publishedTwins(store, tenants, unlisted, signal)) {
    problems.push(runProblem("tenant_id_case", `${tenantId}: ${published} is published`));
  }
}

/** Of the schema of reports. */
const maxValueLength = 200;

export function tenantProblem({ code, tenantId, programs, rows }: TenantProblem): Problem {
  const counted = programs !== null ? `: ${programs} program(s)` : rows > 1 ? `: ${rows} rows` : "";
  return runProblem(code, `${shownId(tenantId)}${counted}`);
}

export function runProblem(code: ProblemCode, value: string | null): Problem {
  return reportedProblem({
    code,
    programId: null,
    field: null,
    value: value === null ? null : shortened(value, maxValueLength),
  });
}
