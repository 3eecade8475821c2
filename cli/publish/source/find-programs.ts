import { isTenantId, type TenantId } from "../../../core/ground/ids.ts";
import { rowsOf, type SourceClient } from "../../database/connect.ts";

/*
 * P144: programs that two tenants have with the same id and name, in rows of state active. Nothing else
 * counts: a view's columns may depend on the tenant, as a date in its time zone does, or a price.
 */

const tenantOf = 'tenant_id::text COLLATE "C"';
const idOf = 'program_id::text COLLATE "C"';
const nameOf = 'name::text COLLATE "C"';
const isOffered = `lower(lifecycle_state::text) = 'active'
     AND ${tenantOf} IN (SELECT ${tenantOf} FROM partner_source.tenants)`;

/** Programs by id, with their names. */
export type NamedPrograms = ReadonlyMap<string, string>;

export interface TenantWithPrograms {
  readonly tenantId: TenantId;
  /** How many of the programs that were asked for the tenant has. */
  readonly programs: number;
}

/**
 * For each tenant but `$1` how many of the programs `$2`, named `$3`, it has; and in the row of no tenant how
 * many any has.
 */
const ownersQuery = `
  SELECT tenant, count(DISTINCT id)::int
    FROM (SELECT ${tenantOf} AS tenant, ${idOf} AS id
            FROM partner_source.programs
           WHERE (${idOf}, ${nameOf}) IN (SELECT * FROM unnest($2::text[], $3::text[]))
             AND ${tenantOf} <> $1::text AND ${isOffered}) AS found
   GROUP BY GROUPING SETS ((tenant), ())
   ORDER BY tenant IS NULL DESC, 2 DESC, 1
   LIMIT 1000`;

/** The other tenants that have these programs, most first; and how many of the programs any of them has. */
export async function ownersOf(
  client: SourceClient,
  tenantId: TenantId,
  programs: NamedPrograms,
): Promise<{ readonly shared: number; readonly owners: readonly TenantWithPrograms[] }> {
  const values = [tenantId, [...programs.keys()], [...programs.values()]];
  const rows = await rowsOf<[string | null, number]>(client, ownersQuery, values);
  const [[, shared] = [null, 0], ...others] = rows;
  const owners = others.flatMap(([owner, count]) =>
    owner !== null && isTenantId(owner) ? { tenantId: owner, programs: count } : [],
  );
  return { shared, owners };
}

/** For each tenant with programs of others: one other for each program, and for how many it stands. */
const sharingTenantsQuery = `
  SELECT tenant, CASE WHEN tenant = least THEN greatest ELSE least END, count(*)::int
    FROM (SELECT array_agg(DISTINCT ${tenantOf}) AS tenants, min(${tenantOf}) AS least, max(${tenantOf}) AS greatest
            FROM partner_source.programs
           WHERE ${isOffered}
           GROUP BY ${idOf}, ${nameOf}
          HAVING min(${tenantOf}) <> max(${tenantOf})) AS shared, unnest(tenants) AS tenant
   GROUP BY 1, 2
   ORDER BY 3 DESC, 2`;

/** For each tenant the others that share programs with it, by one question over all tenants. */
export async function sharingTenants(
  client: SourceClient,
): Promise<ReadonlyMap<string, readonly TenantWithPrograms[]>> {
  const sharing = new Map<string, TenantWithPrograms[]>();
  const rows = await rowsOf<[string, string, number]>(client, sharingTenantsQuery);
  for (const [tenantId, other, programs] of rows) {
    if (!isTenantId(other)) continue;
    const others = sharing.get(tenantId) ?? [];
    others.push({ tenantId: other, programs });
    sharing.set(tenantId, others);
  }
  return sharing;
}
