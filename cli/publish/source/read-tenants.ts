import { isTenantId, type TenantId } from "../../../core/ground/ids.ts";
import { rowsOf, type SourceClient } from "../../database/connect.ts";
import type { ProblemCode } from "../public-program/problem.ts";

/** A row of the view `tenants`. Its id is not checked yet. */
export interface TenantRow {
  readonly tenantId: string | null;
  readonly name: string | null;
}

/** A fault of a tenant's own row or id. */
export interface TenantProblem {
  readonly code: ProblemCode;
  readonly tenantId: string | null;
  /** What is counted: the programs that name an unlisted tenant, or rows of the view `tenants`. */
  readonly counted: "programs" | "rows";
  /** For a tenant that is listed several times, the rows after the first. */
  readonly count: number;
}

/** Ordered by id. A tenant that is listed twice comes twice. */
export async function readTenants(client: SourceClient): Promise<readonly TenantRow[]> {
  const query = `SELECT left(tenant_id::text, 1000), left(name::text, 1000)
    FROM partner_source.tenants ORDER BY tenant_id::text COLLATE "C"`;
  const rows = await rowsOf<[string | null, string | null]>(client, query);
  return rows.map(([tenantId, name]) => ({ tenantId, name }));
}

/** The tenants that can be built, each once, and the faults of all rows. */
export async function readTenantList(
  client: SourceClient,
): Promise<{ readonly tenants: readonly TenantId[]; readonly problems: readonly TenantProblem[] }> {
  const tenants: TenantId[] = [];
  const problems: TenantProblem[] = [];
  const add = (code: TenantProblem["code"], tenantId: string | null, rows: number): void => {
    problems.push({ code, tenantId, counted: "rows", count: rows });
  };
  // P216: a join may multiply the rows of a tenant by any number.
  const rowsOfId = new Map<string | null, number>();
  for (const { tenantId } of await readTenants(client)) {
    rowsOfId.set(tenantId, (rowsOfId.get(tenantId) ?? 0) + 1);
  }
  for (const [tenantId, rows] of rowsOfId) {
    // NULL is not an ill-formed id, so these rows have a problem of their own (D130).
    if (tenantId === null) add("tenant_id_null", null, rows);
    else if (!isTenantId(tenantId)) add("tenant_id_invalid", tenantId, rows);
    else {
      tenants.push(tenantId);
      if (rows > 1) add("tenant_duplicate", tenantId, rows - 1);
    }
  }
  return { tenants, problems };
}

export async function isTenantListed(client: SourceClient, tenantId: TenantId): Promise<boolean> {
  const text = `SELECT FROM partner_source.tenants WHERE tenant_id::text COLLATE "C" = $1 LIMIT 1`;
  return (await client.query({ text, values: [tenantId] })).rowCount !== 0;
}

/** Which of the tenants the source lists. */
export async function listedTenants(
  client: SourceClient,
  tenantIds: readonly TenantId[],
): Promise<readonly string[]> {
  const text = `SELECT DISTINCT tenant_id::text FROM partner_source.tenants WHERE tenant_id::text COLLATE "C" = ANY ($1)`;
  return (await rowsOf<[string]>(client, text, [tenantIds])).map(([tenantId]) => tenantId);
}

/** The tenant ids of programs that the view `tenants` does not list, NULL among them (P103). */
export async function readStrayPrograms(client: SourceClient): Promise<readonly TenantProblem[]> {
  const query = `SELECT left(p.tenant_id::text, 1000), count(*)::int FROM partner_source.programs AS p
    WHERE NOT EXISTS (SELECT FROM partner_source.tenants AS t WHERE t.tenant_id::text COLLATE "C" = p.tenant_id::text COLLATE "C")
    GROUP BY 1 ORDER BY 1`;
  const rows = await rowsOf<[string | null, number]>(client, query);
  return rows.map(([tenantId, count]) => ({
    code: tenantId === null ? "tenant_id_null" : "programs_of_unknown_tenant",
    tenantId,
    counted: "programs",
    count,
  }));
}
