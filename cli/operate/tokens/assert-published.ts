import type { TenantId } from "../../../core/ids.ts";
import { currentKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { unknownTenant } from "../../publish/snapshot/unknown-tenant.ts";

/** Throws `not_found` when the tenant has no snapshot; `what` says what follows, and the nearest tenant is named (P82). */
export async function assertPublished(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
  what = `Tenant ${tenantId} has no published snapshot and no token. Check the id.`,
): Promise<void> {
  const current = await store.get(currentKey(tenantId), { signal });
  if (current.kind === "missing") throw await unknownTenant(store, tenantId, what, signal);
  if (current.kind === "object") current.body.destroy();
}
