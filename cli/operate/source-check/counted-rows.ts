import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { viewNames } from "../../publish/source/contract.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import type { FindingGroups } from "./finding-groups.ts";

/**
 * How many rows each view has. P104: rows without a tenant, and rows of tenants that are not listed, are asked for by nobody, so
 * that no build would miss them: they are counted here. Programs among them are a finding of builds, too.
 */
export async function countedRows(
  client: SourceClient,
  tenants: readonly TenantId[],
  groups: FindingGroups,
  failed: (view: string, error: Error) => void,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const view of viewNames()) {
    const reading = await tryReading(client, () => client.query<Counts>(countQuery(view), [tenants]));
    if ("error" in reading) failed(view, reading.error);
    const counts = "result" in reading ? reading.result.rows[0] : undefined;
    rows[view] = Number(counts?.rows ?? 0);
    if (counts === undefined || view === "tenants" || view === "programs") continue;
    const place = { view, column: "tenant_id" };
    const add = (
      code: "tenant_id_null" | "rows_of_unknown_tenant",
      count: number,
      tenantId: string | null,
    ) => {
      if (count > 0) groups.add(code, place, { tenantId, programId: null, value: `${count} row(s)` }, count);
    };
    add("tenant_id_null", Number(counts.nameless), null);
    if (tenants.length > 0) add("rows_of_unknown_tenant", Number(counts.foreign), counts.firstForeign);
  }
  return rows;
}

interface Counts {
  readonly rows: string;
  readonly nameless: string;
  readonly foreign: string;
  readonly firstForeign: string | null;
}

function countQuery(view: string): string {
  const isForeign =
    'tenant_id IS NOT NULL AND tenant_id::text COLLATE "C" NOT IN (SELECT unnest($1::text[]))';
  return `
  SELECT count(*) AS rows, count(*) FILTER (WHERE tenant_id IS NULL) AS nameless,
         count(*) FILTER (WHERE ${isForeign}) AS foreign,
         min(left(tenant_id::text, 1000)) FILTER (WHERE ${isForeign}) AS "firstForeign"
    FROM partner_source.${view}`;
}
