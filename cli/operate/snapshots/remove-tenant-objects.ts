import type { TenantId } from "../../../core/ids.ts";
import { currentKey, isObjectKey, tenantPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { DeleteBatch } from "../../publish/snapshot/delete-batch.ts";

/** Deletes everything that the store has of the tenant, the pointer first; returns how many objects that were. */
export async function removeTenantObjects(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<number> {
  const batch = new DeleteBatch(store, false, signal);
  const pointer = currentKey(tenantId);
  for await (const { key, size } of store.list(tenantPrefix(tenantId), { signal })) {
    // Without its pointer nothing of a tenant can be published on top of it, by a builder that began before.
    if (batch.deleted.deletedObjects === 0) await store.delete([pointer], { signal });
    if (isObjectKey(key)) await batch.add(key, size);
  }
  await batch.flush();
  await store.tidy(tenantPrefix(tenantId), { signal });
  return batch.deleted.deletedObjects;
}
