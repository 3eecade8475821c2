import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import {
  editRemovedTenants,
  type RemovedTenants,
  readRemovedTenants,
  withRemoved,
} from "../snapshot/removed-tenants.ts";

/**
 * The removed tenants, for a run: read before the source, so that a tenant that is removed meanwhile is not taken for one that
 * came back. A damaged document keeps no tenant but a new one from being published (P12).
 */
export async function knownRemovals(store: ObjectStore, signal: AbortSignal): Promise<RemovedTenants> {
  try {
    return await readRemovedTenants(store, signal);
  } catch (error) {
    const { code } = asFailure(error);
    if (code === "corrupt_document" || code === "store_denied") return new Map();
    throw error;
  }
}

/**
 * P91: the tenants of the source that were removed once and came back, which are no longer removed from now on. `removed` was
 * read before the source was. Their tokens stay revoked, and their generations go on (P92).
 */
export async function reinstateReturned(
  store: ObjectStore,
  tenants: readonly TenantId[],
  removed: RemovedTenants,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<readonly TenantId[]> {
  const returned = tenants.filter((tenantId) => (removed.get(tenantId)?.removedAt ?? null) !== null);
  if (returned.length === 0 || dryRun) return returned;
  await editRemovedTenants(store, signal, (stored) =>
    returned.reduce((kept, tenantId) => {
      const entry = kept.get(tenantId);
      // Another time: it was removed again since.
      if (entry === undefined || entry.removedAt !== removed.get(tenantId)?.removedAt) return kept;
      return withRemoved(kept, tenantId, { ...entry, removedAt: null, isPurged: false });
    }, stored),
  );
  return returned;
}
