import { createHash } from "node:crypto";
import { Failure } from "../../../core/ground/failure.ts";
import { isTenantId, type TenantId } from "../../../core/ground/ids.ts";
import { currentKey, tenantsPrefix } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { didYouMeanLonger } from "../../output/words.ts";

/** The tenants that the store has objects of, published or not. */
export async function* storedTenants(store: ObjectStore, signal: AbortSignal): AsyncGenerator<TenantId> {
  for await (const folder of store.listFolders(tenantsPrefix, { signal })) {
    if (isTenantId(folder)) yield folder;
  }
}

/** False for a folder that a killed build or a removal left. */
export async function hasPointer(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const { key } of store.list(currentKey(tenantId), { signal })) {
    if (key === currentKey(tenantId)) return true;
  }
  return false;
}

/** The `index`-th (from 1) of `count` parts of all tenants, for as many machines. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Whether the tenant is in this part. Its id's digest decides, so no tenant moves when others come or go. */
export function inShard(tenantId: TenantId, shard: Shard | undefined): boolean {
  if (shard === undefined) return true;
  const number = createHash("sha256").update(tenantId).digest().readBigUInt64BE();
  return number % BigInt(shard.count) === BigInt(shard.index - 1);
}

/** P56: the failure for a tenant that the store does not have: `what`, then the store's nearest tenant. */
export async function unknownTenant(
  store: ObjectStore,
  tenantId: TenantId,
  what: string,
  signal: AbortSignal,
): Promise<Failure> {
  return new Failure("not_found", what + (await tenantHint(store, tenantId, signal)));
}

/** A sentence that names the most similar tenant; empty when none is, or the store cannot be listed. */
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
    // The credentials may allow reading one tenant, and not listing all.
    return "";
  }
  return didYouMeanLonger(tenantId, stored);
}
