import { createHash } from "node:crypto";
import type { QueryArrayConfig } from "pg";
import type { TenantId } from "../../core/ids.ts";
import type { SourceClient } from "./connect.ts";
import { checksumsQuery } from "./source-queries.ts";

/**
 * SHA-256 (hex) of what PostgreSQL says of all rows that a build of the tenant would read, without reading them. The same
 * rows in another order have the same digest; other rows have another, as far as 64 bits per view can tell.
 */
export async function readSourceDigest(client: SourceClient, tenantId: TenantId): Promise<string> {
  const config: QueryArrayConfig = { text: checksumsQuery, values: [tenantId], rowMode: "array" };
  const { rows } = await client.query(config);
  return createHash("sha256").update(JSON.stringify(rows)).digest("hex");
}
