import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readRemovedTenants } from "../../publish/snapshot/removed-tenants.ts";
import { assertPublished } from "../tokens/assert-published.ts";
import { readRegistry } from "../tokens/edit-registry.ts";

/** P82: throws `not_found` for a tenant that was neither published nor removed, and has no token. */
export async function assertKnownTenant(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<void> {
  if ((await readRemovedTenants(store, signal)).has(tenantId)) return;
  const { registry } = await readRegistry(store);
  if (registry.tokens.some((token) => token.tenantId === tenantId)) return;
  await assertPublished(store, tenantId, signal);
}
