import { isTenantId, type TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { tenantsOfProgramsQuery } from "./source-queries.ts";

/** The other tenants of the source that have programs with some of these ids, those with most of them first; only so many. */
export async function tenantsOfPrograms(
  client: SourceClient,
  tenantId: TenantId,
  programIds: readonly string[],
): Promise<readonly TenantId[]> {
  const { rows } = await client.query<[string]>({
    text: tenantsOfProgramsQuery,
    values: [programIds, tenantId],
    rowMode: "array",
  });
  return rows.map(([found]) => found).filter(isTenantId);
}
