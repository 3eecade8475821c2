import { createHash } from "node:crypto";
import type { QueryArrayConfig } from "pg";
import type { TenantId } from "../../core/ids.ts";
import type { SourceClient } from "../database/connect.ts";
import type { SourceLimits, SourceSizes } from "./source-limits.ts";
import { checksumsQuery } from "./source-queries.ts";

/** What PostgreSQL says of all rows that a build of the tenant would read, without moving them. */
export interface SourceDigest {
  /** SHA-256 (hex). The same rows in another order have the same one, others another, as far as 64 bits per view can tell. */
  readonly digest: string;
  readonly sizes: SourceSizes;
}

export async function readSourceDigest(
  client: SourceClient,
  tenantId: TenantId,
  limits: SourceLimits,
): Promise<SourceDigest> {
  const config: QueryArrayConfig = { text: checksumsQuery(limits), values: [tenantId], rowMode: "array" };
  const { rows } = await client.query<(string | null)[]>(config);
  const sizes = rows.map(([view = "", , , largestRow, total]) => [
    view,
    { largestRow: Number(largestRow), total: Number(total) },
  ]);
  return {
    digest: createHash("sha256").update(JSON.stringify(rows)).digest("hex"),
    sizes: Object.fromEntries(sizes),
  };
}
