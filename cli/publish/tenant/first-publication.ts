import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { currentKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readRemovedTenants } from "../snapshot/removed-tenants.ts";
import type { BuildContext } from "./attempt.ts";

/**
 * P92: the generation that a tenant without a pointer goes on from; 0 for one that was never removed. Throws `superseded` for
 * one that is removed, by a build that began before (P91).
 */
export async function generationBefore(
  tenantId: TenantId,
  { store, signal }: Pick<BuildContext, "store" | "signal">,
): Promise<number> {
  const removed = (await readRemovedTenants(store, signal)).get(tenantId);
  if (removed === undefined) return 0;
  if (removed.removedAt !== null) throw removedMeanwhile(tenantId);
  return removed.generation;
}

/**
 * P91: the other half, after a first publication. Who removed the tenant before this look did so too early to see the pointer,
 * so it is taken back here; who does so later sees it. Not interrupted: the pointer is there, and would stay.
 */
export async function takeBackIfRemoved(tenantId: TenantId, store: ObjectStore): Promise<void> {
  const removed = (await readRemovedTenants(store, new AbortController().signal)).get(tenantId);
  if (removed === undefined || removed.removedAt === null) return;
  await store.delete([currentKey(tenantId)]);
  throw removedMeanwhile(tenantId);
}

function removedMeanwhile(tenantId: TenantId): Failure {
  return new Failure(
    "superseded",
    `Tenant ${tenantId} was removed while it was being built; nothing of it is published. ` +
      `What the build wrote goes with another \`tenant remove ${tenantId} --purge\`.`,
  );
}
