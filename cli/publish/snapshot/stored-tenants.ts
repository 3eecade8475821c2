import { isTenantId, type TenantId } from "../../../core/ids.ts";
import { tenantsPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";

/** The tenants that the store has objects of, published or not. */
export async function* storedTenants(store: ObjectStore, signal: AbortSignal): AsyncGenerator<TenantId> {
  for await (const folder of store.listFolders(tenantsPrefix, { signal })) {
    if (isTenantId(folder)) yield folder;
  }
}
