import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { currentKey, isObjectKey, sandboxKey, tenantPrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { forgetConfirmation } from "../../publish/run/confirmation-writer.ts";
import { knownSandbox } from "../../publish/sandbox/sandbox-document.ts";
import { DeleteBatch } from "../../publish/snapshot/delete-batch.ts";
import { editRemovedTenants, withRemoved } from "../../publish/snapshot/removed-tenants.ts";
import type { Audit } from "../audit/audit.ts";
import { editRecorded } from "../tokens/edit-registry.ts";
import { revoked, unrevoked } from "../tokens/issue-token.ts";

export interface TenantRemoval {
  readonly tenantId: TenantId;
  readonly isPurged: boolean;
  readonly wasSandbox: boolean;
  readonly revokedTokens: number;
  readonly deletedObjects: number;
}

interface RemovalContext {
  readonly store: ObjectStore;
  readonly audit: Pick<Audit, "plan" | "note" | "doubt">;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/**
 * Ends a tenant that the source does not list (P91). Each step can be repeated, so a command that crashed at any step can be
 * run again (P93):
 *
 * 1. Record the tenant as removed. After this no token is issued for it, and a build that finds no pointer publishes nothing.
 * 2. Revoke its tokens. After this nobody is served.
 * 3. With `isPurged`, delete its objects, the pointer first, so that every build that has read the pointer loses.
 * 4. Delete the time of its last confirmation, since no alert should fire for data that only gets older.
 * 5. If it was the sandbox, delete that document last, so that `sandbox init --remove` can be repeated, too.
 */
export async function removeTenant(
  tenantId: TenantId,
  isPurged: boolean,
  { store, audit, now, signal }: RemovalContext,
): Promise<TenantRemoval> {
  const at = now();
  const wasSandbox = (await knownSandbox(store, signal)) === tenantId;
  const change = { kind: "removal", tenantId, isPurged } as const;
  await editRemovedTenants(store, signal, (tenants) => {
    audit.plan([change]);
    return withRemoved(tenants, tenantId, at.toISOString());
  });
  audit.note([change]);
  const revokedTokens = await endTenantTokens(store, audit, tenantId, at);
  let deletedObjects = 0;
  if (isPurged) {
    deletedObjects = await purge(store, tenantId, signal);
    audit.note([{ kind: "deletion", tenantId, deletedSnapshots: 0, deletedObjects }]);
  }
  await forgetConfirmation(store, tenantId, signal);
  if (wasSandbox) await store.delete([sandboxKey], { signal });
  return { tenantId, isPurged, wasSandbox, revokedTokens, deletedObjects };
}

/** A build that began before the removal may still write files, so the objects are deleted until none is left. */
const maxSweeps = 5;

async function purge(store: ObjectStore, tenantId: TenantId, signal: AbortSignal): Promise<number> {
  let all = 0;
  for (let sweep = 1; sweep <= maxSweeps; sweep += 1) {
    const deleted = await removeTenantObjects(store, tenantId, signal);
    all += deleted;
    if (deleted === 0) return all;
  }
  throw new Failure(
    "superseded",
    `Somebody still writes below tenants/${tenantId}/: a build that began before. Nobody is served. ` +
      "Wait for it to end, then run the command again to delete the rest.",
  );
}

/** Deletes everything that the store has of the tenant, the pointer first; returns how many objects that were. */
async function removeTenantObjects(
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

/**
 * Ends every token of the tenant, whoever issued it; returns how many that were. The registry is written also where there is
 * none: a token that is being issued meanwhile then loses its race, and its command looks again at what became of the tenant.
 */
async function endTenantTokens(
  store: ObjectStore,
  audit: Pick<Audit, "plan" | "note" | "doubt">,
  tenantId: TenantId,
  now: Date,
): Promise<number> {
  let ended = 0;
  await editRecorded(store, audit, (tokens) => {
    const open = unrevoked(tokens, tenantId);
    ended = open.length;
    return [...revoked(tokens, open, now)];
  });
  return ended;
}
