import { isTenantId, type TenantId } from "../../../core/ids.ts";
import { currentKey, tenantsPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RemovedTenants } from "./removed-tenants.ts";

/** The tenants that the store has objects of, published or not. */
export async function* storedTenants(store: ObjectStore, signal: AbortSignal): AsyncGenerator<TenantId> {
  for await (const folder of store.listFolders(tenantsPrefix, { signal })) {
    if (isTenantId(folder)) yield folder;
  }
}

/** The same without removed tenants: nothing of these is served any more, whatever the store still has. */
export async function* keptTenants(
  store: ObjectStore,
  removed: RemovedTenants,
  signal: AbortSignal,
): AsyncGenerator<TenantId> {
  for await (const tenantId of storedTenants(store, signal)) {
    if ((removed.get(tenantId)?.removedAt ?? null) === null) yield tenantId;
  }
}

/** A published tenant whose id differs from a listed one in case only. */
export interface CaseTwin {
  readonly tenantId: TenantId;
  readonly published: TenantId;
}

/**
 * P146: tenant ids are compared by their bytes, so a published tenant that the source lists in another case only is another tenant,
 * and its partners see no change any more. `unlisted`: stored tenants that the source does not list as they are.
 */
export async function publishedTwins(
  store: ObjectStore,
  listed: readonly TenantId[],
  unlisted: readonly TenantId[],
  signal: AbortSignal,
): Promise<readonly CaseTwin[]> {
  const byLowerCase = new Map(listed.map((tenantId) => [tenantId.toLowerCase(), tenantId]));
  const twins: CaseTwin[] = [];
  for (const published of unlisted) {
    const tenantId = byLowerCase.get(published.toLowerCase());
    if (tenantId === undefined) continue;
    for await (const _ of store.list(currentKey(published), { signal })) twins.push({ tenantId, published });
  }
  return twins;
}
