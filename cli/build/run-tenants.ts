import { Failure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import { tenantsPrefix } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { Problem } from "../../schemas/generated/types.ts";
import type { SourceClient } from "../database/connect.ts";
import { type ProblemCode, reportedProblem, shownValue } from "../public-program/problem.ts";
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

/** D40: the tenants to build, each once and well formed; what is wrong with the others goes to `problems`. */
export async function chosenTenants(
  client: SourceClient,
  wanted: WantedTenants,
  checkSource: (client: SourceClient) => Promise<void>,
  problems: Problem[],
): Promise<readonly TenantId[]> {
  if (wanted.kind === "told") {
    // A told tenant costs neither the check of the views nor the list of all tenants.
    if (await isTenantListed(client, wanted.tenantId)) return [wanted.tenantId];
    problems.push(problem("tenant_vanished", wanted.tenantId));
    return [];
  }
  await checkSource(client);
  const list = await readTenantList(client);
  problems.push(...list.problems.map(tenantProblem));
  if (wanted.kind === "all") {
    problems.push(...(await readStrayPrograms(client)).map(tenantProblem));
    return list.tenants;
  }
  const known = new Set(list.tenants);
  const asked = [...new Set(wanted.tenantIds)];
  const unknown = asked.filter((tenantId) => !known.has(tenantId));
  if (unknown.length === 0) return asked;
  throw new Failure(
    "not_found",
    `The source's view partner_source.tenants does not list ${unknown.join(", ")}. ` +
      "Nothing was built; check --tenant.",
  );
}

/** P13: a tenant that the source no longer lists keeps its last snapshot; the run names it. */
export async function reportVanished(
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
