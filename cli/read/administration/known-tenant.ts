import { Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { currentKey } from "../../../core/ground/object-key.ts";
import { settingText } from "../../../core/process/setting-parser.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { readRemovedTenants } from "../../publish/snapshot/removed-tenants.ts";
import { storedTenants, unknownTenant } from "../../publish/snapshot/stored-tenants.ts";
import type { Shell } from "../../shell/shell.ts";
import { readRegistry } from "./read-registry.ts";

/** Throws `not_found` without a snapshot. `what` begins the message; the nearest tenant follows (P56). */
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

/** Throws `not_found` for a tenant that was neither published nor removed, and has no token (P56). */
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

/**
 * P91: throws `usage` for a removed tenant. Called after the registry was read: a removal is recorded first
 * and then writes the registry, so either this check sees it, or the caller's write loses.
 */
export async function assertNotRemoved(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
  remedy = `List it in the source again and run \`snapshot build --tenant ${tenantId}\`; then it is none any more.`,
): Promise<void> {
  const removed = (await readRemovedTenants(store, signal)).get(tenantId);
  if (removed === undefined) return;
  throw new Failure(
    "usage",
    `Tenant ${tenantId} was removed at ${removed}, so no token was issued or moved. ${remedy}`,
  );
}

/**
 * Names the store in which nothing was found, and says whether it holds anything at all (P56), because a
 * wrong `STORE_URL` looks like an installation without data. The address holds no secret.
 */
export async function whereNothingIs(store: ObjectStore, { env, signal }: Shell): Promise<string> {
  const isSet = settingText("STORE_URL", env) !== undefined;
  const place = `The store (${store.address}${isSet ? "" : ", the default, since STORE_URL is not set"})`;
  const check = "Check STORE_URL, or see `snapshot build`.";
  for await (const _ of storedTenants(store, signal)) return `${place} holds other tenants. ${check}`;
  for await (const _ of store.listFolders("", { signal })) {
    return `${place} holds something, but no published tenant. ${check}`;
  }
  return `${place} holds nothing at all. Check STORE_URL; in a new installation, see \`snapshot build\`.`;
}
