import type { SourceClient } from "../database/connect.ts";
import { strayProgramsQuery, tenantsQuery } from "./source-queries.ts";

/** A row of the view `tenants`: the id is not yet checked. */
export interface TenantRow {
  readonly tenantId: string;
  readonly name: string | null;
}

/** All tenants by id. A tenant that the view lists twice comes twice. */
export async function readTenants(client: SourceClient): Promise<readonly TenantRow[]> {
  const { rows } = await client.query<[string | null, string | null]>({
    text: tenantsQuery,
    rowMode: "array",
  });
  return rows.map(([tenantId, name]) => ({ tenantId: tenantId ?? "", name }));
}

/** The tenant ids that programs claim and the view `tenants` does not list, with the number of their programs. */
export async function readStrayPrograms(
  client: SourceClient,
): Promise<readonly { readonly tenantId: string | null; readonly programs: number }[]> {
  const { rows } = await client.query<[string | null, number]>({
    text: strayProgramsQuery,
    rowMode: "array",
  });
  return rows.map(([tenantId, programs]) => ({ tenantId, programs }));
}
