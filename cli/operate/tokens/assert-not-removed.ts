import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readRemovedTenants } from "../../publish/snapshot/removed-tenants.ts";

/**
 * P91: throws `usage` for a removed tenant. To be called after the registry was read: who removes the tenant says so first and
 * then writes the registry, so either this sees it, or the write of what was read here loses.
 */
export async function assertNotRemoved(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
  remedy = `List it in the source again and run \`snapshot build --tenant ${tenantId}\`; then it is none any more.`,
): Promise<void> {
  const removed = (await readRemovedTenants(store, signal)).get(tenantId);
  if (removed === undefined || removed.removedAt === null) return;
  throw new Failure(
    "usage",
    `Tenant ${tenantId} was removed at ${removed.removedAt}, so no token was issued or moved. ${remedy}`,
  );
}
