import { Failure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import { tenantsPrefix } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { shortened } from "../../core/printable.ts";
import type { Problem } from "../../schemas/generated/types.ts";
import type { SourceClient } from "../database/connect.ts";
import { type ProblemCode, reportedProblem } from "../public-program/problem.ts";
import { shownId } from "../public-program/shown-id.ts";
import { didYouMean } from "../shell/nearest-name.ts";
import type { RemovedTenants } from "../snapshot/removed-tenants.ts";
import {
  isTenantListed,
  readStrayPrograms,
  readTenantList,
  type TenantProblem,
} from "../source/read-tenants.ts";

/** Which tenants a run builds. `told`: one that is said to have changed, if the source lists it. */
export type WantedTenants =
  | { readonly kind: "all" }
  | { readonly kind: "asked"; readonly tenantIds: readonly TenantId[] }
  | { readonly kind: "told"; readonly tenantId: TenantId };

/**
 * D40: the tenants to build, each once and well formed; what is wrong with the others goes to `problems`. P97: the `sandbox`,
 * if there is one, is one of them.
 */
export async function chosenTenants(
  client: SourceClient,
  wanted: WantedTenants,
  checkSource: (client: SourceClient) => Promise<void>,
  problems: Problem[],
  sandbox: TenantId | undefined,
): Promise<readonly TenantId[]> {
  if (wanted.kind === "told") {
    // A told tenant costs neither the check of the views nor the list of all tenants.
    const isListed = await isTenantListed(client, wanted.tenantId);
    if (wanted.tenantId === sandbox) {
      if (isListed) problems.push(problem("tenant_is_sandbox", sandbox));
      return [];
    }
    if (isListed) return [wanted.tenantId];
    problems.push(problem("tenant_vanished", wanted.tenantId));
    return [];
  }
  await checkSource(client);
  const list = await readTenantList(client);
  problems.push(...list.problems.map(tenantProblem));
  // P98
  if (sandbox !== undefined && list.tenants.includes(sandbox)) {
    problems.push(problem("tenant_is_sandbox", sandbox));
  }
  const tenants = sandbox === undefined ? list.tenants : [...new Set([...list.tenants, sandbox])];
  if (wanted.kind === "all") {
    problems.push(...(await readStrayPrograms(client)).map(tenantProblem));
    return tenants;
  }
  const known = new Set(tenants);
  const asked = [...new Set(wanted.tenantIds)];
  const unknown = asked.filter((tenantId) => !known.has(tenantId));
  if (unknown.length === 0) return asked;
  throw new Failure(
    "not_found",
    `The source's view partner_source.tenants does not list ${unknown.join(", ")}. ` +
      `Nothing was built; check --tenant.${didYouMean(unknown[0] ?? "", known)}`,
  );
}

/** P91: a tenant that was removed and is in the source again is published again; the run names it. */
export function reportReturned(tenants: readonly TenantId[], problems: Problem[]): void {
  for (const tenantId of tenants) problems.push(problem("tenant_returned", tenantId));
}

/**
 * P13: a tenant that the source no longer lists keeps its last snapshot; the run names it. Of one that is removed nothing is
 * served any more, whatever of it the store still has.
 */
export async function reportVanished(
  store: ObjectStore,
  tenants: readonly TenantId[],
  removed: RemovedTenants,
  problems: Problem[],
  signal: AbortSignal,
): Promise<void> {
  const gone = [...removed].flatMap(([tenantId, { removedAt }]) => (removedAt === null ? [] : tenantId));
  const known = new Set<string>([...tenants, ...gone]);
  for await (const folder of store.listFolders(tenantsPrefix, { signal })) {
    if (!known.has(folder)) problems.push(problem("tenant_vanished", folder));
  }
}

/** Of the schema of reports. */
const maxValueLength = 200;

function tenantProblem({ code, tenantId, programs }: TenantProblem): Problem {
  const id = tenantId === null ? "NULL" : shownId(tenantId);
  return problem(code, programs === null ? id : `${id}: ${programs} program(s)`);
}

function problem(code: ProblemCode, value: string | null): Problem {
  return reportedProblem({
    code,
    programId: null,
    field: null,
    value: value === null ? null : shortened(value, maxValueLength),
  });
}
