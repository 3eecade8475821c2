import { isTenantId, type TenantId } from "../../../core/ids.ts";
import { rowsOf, type SourceClient } from "../../database/connect.ts";
import { ofTenant } from "./program-queries.ts";

/** SQL: equal for rows of the view `programs` with the same id, name, dates and description. */
const likeness = `program_id::text COLLATE "C",
  md5(concat_ws(chr(31), name::text, departure_date::text, return_date::text, description::text))`;
const tenantOf = 'tenant_id::text COLLATE "C"';
const isListed = `${tenantOf} IN (SELECT ${tenantOf} FROM partner_source.tenants)`;

export interface TenantWithPrograms {
  readonly tenantId: TenantId;
  /** How many of the programs that were asked for the tenant has. */
  readonly programs: number;
}

/** The listed tenants other than `$1` that have rows like those of its programs `$2`, and how many. */
const tenantsOfProgramsQuery = `
  SELECT ${tenantOf}, count(*)::int
    FROM partner_source.programs
   WHERE (${likeness})
         IN (SELECT ${likeness} FROM partner_source.programs
              WHERE ${ofTenant} AND program_id::text COLLATE "C" = ANY ($2::text[]))
     AND ${tenantOf} <> $1::text AND ${isListed}
   GROUP BY 1
   ORDER BY count(*) DESC, 1
   LIMIT 1000`;

/** P144: the other tenants that have rows like these programs', those with the most first. At most 1,000. */
export async function tenantsOfPrograms(
  client: SourceClient,
  tenantId: TenantId,
  programIds: Iterable<string>,
): Promise<readonly TenantWithPrograms[]> {
  const rows = await rowsOf<[string, number]>(client, tenantsOfProgramsQuery, [tenantId, [...programIds]]);
  return rows.flatMap(([found, count]) => (isTenantId(found) ? { tenantId: found, programs: count } : []));
}

/** For each listed tenant that has programs of another: one other for each such program, and how many programs it stands for. */
const sharingTenantsQuery = `
  SELECT tenant, CASE WHEN tenant = least THEN greatest ELSE least END, count(*)::int
    FROM (SELECT array_agg(DISTINCT ${tenantOf}) AS tenants, min(${tenantOf}) AS least, max(${tenantOf}) AS greatest
            FROM partner_source.programs
           WHERE ${isListed}
           GROUP BY ${likeness}
          HAVING min(${tenantOf}) <> max(${tenantOf})) AS shared, unnest(tenants) AS tenant
   GROUP BY 1, 2
   ORDER BY 3 DESC, 2`;

/** P144: for each tenant the others that share rows with it, by one question over all tenants. */
export async function sharingTenants(
  client: SourceClient,
): Promise<ReadonlyMap<string, readonly TenantWithPrograms[]>> {
  const sharing = new Map<string, TenantWithPrograms[]>();
  const rows = await rowsOf<[string, string, number]>(client, sharingTenantsQuery);
  for (const [tenantId, other, programs] of rows) {
    if (!isTenantId(other)) continue;
    sharing.set(tenantId, [...(sharing.get(tenantId) ?? []), { tenantId: other, programs }]);
  }
  return sharing;
}
