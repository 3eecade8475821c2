import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { didYouMean } from "../../shell/nearest-name.ts";
import { storedTenants } from "./stored-tenants.ts";

/**
 * P82: the failure of a command that was asked for a tenant of which the store has nothing. `what` says so, and the nearest
 * tenant of the store follows.
 */
export async function unknownTenant(
  store: ObjectStore,
  tenantId: TenantId,
  what: string,
  signal: AbortSignal,
): Promise<Failure> {
  return new Failure("not_found", what + (await tenantHint(store, tenantId, signal)));
}

/** A sentence that names the tenant that was most likely meant; empty when none is near or the store cannot be listed. */
export async function tenantHint(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<string> {
  const stored: string[] = [];
  try {
    for await (const known of storedTenants(store, signal)) if (known !== tenantId) stored.push(known);
  } catch (error) {
    if (signal.aborted) throw error;
    // Who may read one tenant need not be allowed to list all.
    return "";
  }
  return didYouMean(tenantId, stored);
}
