import { setTimeout as delay } from "node:timers/promises";
import type { RegisteredToken } from "../../../core/documents/token-registry.ts";
import { asFailure, Failure, interrupted } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { currentKey, isObjectKey, sandboxKey, tenantPrefix } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { withSourceReading } from "../../database/with-database-url.ts";
import { forgetTenant } from "../../publish/run/run-documents.ts";
import { deleteBatch } from "../../publish/snapshot/delete-batch.ts";
import { editRemovedTenants, withRemoved } from "../../publish/snapshot/removed-tenants.ts";
import { knownSandbox } from "../../publish/snapshot/sandbox-tenant.ts";
import { isTenantListed } from "../../publish/source/read-tenants.ts";
import type { CliSettings } from "../../shell/shell.ts";
import type { Audit } from "../audit/audit.ts";
import { editRegistry } from "./edit-registry.ts";
import { revoked, unrevoked } from "./issue-token.ts";

export interface TenantRemoval {
  readonly tenantId: TenantId;
  readonly isPurged: boolean;
  readonly wasSandbox: boolean;
  readonly revokedTokens: number;
  readonly deletedObjects: number;
}

/** What a change of a whole tenant needs of its command. */
export interface TenantChange {
  readonly store: ObjectStore;
  readonly audit: Pick<Audit, "plan" | "note" | "doubt" | "warn">;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Pauses for gateways; a test's own takes no time. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Ends a tenant that the source does not list (P91). Each step can be repeated, so a command that crashed at
 * any step can be run again (P91):
 *
 * 1. Record the tenant as removed. After this no token is issued for it, and a build that finds no pointer
 *   publishes nothing.
 * 2. Revoke its tokens. After this nobody is served.
 * 3. With `isPurged`, wait until gateways have heard of that, so that partners get 401 and never 500. A
 *   gateway that does not reach the store in that time, or asks for the registry less often, is the
 *   exception. Then delete the tenant's objects, the pointer first, so that every build that has read the
 *   pointer loses.
 * 4. Delete the time of its last confirmation, since no alert should fire for data that only gets older.
 * 5. If it was the sandbox, delete that document last, so that `sandbox init --remove` can be repeated, too.
 */
export async function removeTenant(
  tenantId: TenantId,
  isPurged: boolean,
  { store, audit, now, signal, pause = interruptiblePause }: TenantChange,
): Promise<TenantRemoval> {
  const at = now();
  const wasSandbox = (await knownSandbox(store, signal)) === tenantId;
  const change = { kind: "removal", tenantId, isPurged } as const;
  // No signal ends this write, since its outcome would be unknown then.
  await editRemovedTenants(store, new AbortController().signal, (tenants) => {
    audit.plan([change]);
    return withRemoved(tenants, tenantId, at.toISOString());
  });
  audit.note([change]);
  let revokedTokens = 0;
  let lastEnd = 0;
  // The registry is written also where there is none: a token that is being issued meanwhile then loses its
  // race, and its command looks again at what became of the tenant.
  await editRegistry(store, audit, (tokens) => {
    const open = unrevoked(tokens, tenantId);
    revokedTokens = open.length;
    const own = tokens.filter((token) => token.tenantId === tenantId);
    lastEnd = own.reduce((latest, token) => Math.max(latest, endOf(token)), 0);
    return [...revoked(tokens, open, at)];
  });
  let deletedObjects = 0;
  if (isPurged) {
    const pauseMs = Math.min(hearingMs, lastEnd + hearingMs - now().getTime());
    if (pauseMs > 0) await pause(pauseMs, signal);
    try {
      await purge(store, tenantId, signal, (count) => {
        deletedObjects += count;
      });
    } finally {
      audit.note([{ kind: "deletion", tenantId, deletedSnapshots: 0, deletedObjects }]);
    }
  }
  await forgetTenant(store, tenantId, signal);
  if (wasSandbox) await store.delete([sandboxKey], { signal });
  return { tenantId, isPurged, wasSandbox, revokedTokens, deletedObjects };
}

/** Gateways read the registry every half second, unless `TOKEN_REFRESH_MS` says otherwise. */
const hearingMs = 2000;

async function interruptiblePause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw interrupted("The removal");
  });
}

/** A build from before the removal may still write files, so objects are deleted until none is left. */
const maxSweeps = 5;

/** Deletes all that the store has of the tenant, the pointer first. `onDeleted` hears how many are gone. */
async function purge(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
  onDeleted: (count: number) => void,
): Promise<void> {
  for (let sweep = 1; sweep <= maxSweeps; sweep += 1) {
    const { add, flush, deleted } = deleteBatch(store, false, signal);
    let isEmpty = true;
    try {
      for await (const { key, size } of store.list(tenantPrefix(tenantId), { signal })) {
        // Without its pointer nothing of a tenant can be published on it, by a builder that began before.
        if (isEmpty) await store.delete([currentKey(tenantId)], { signal });
        isEmpty = false;
        if (isObjectKey(key)) await add(key, size);
      }
      await flush();
    } finally {
      onDeleted(deleted.deletedObjects);
    }
    await store.tidy(tenantPrefix(tenantId), { signal });
    if (isEmpty) return;
  }
  throw new Failure(
    "superseded",
    `Somebody still writes below tenants/${tenantId}/: a build that began before. Nobody is served. ` +
      "Wait for it to end, then run the command again to delete the rest.",
  );
}

/** When a token stops working, by the registry; infinite for one in force without an end. */
function endOf({ expiresAt, revokedAt }: RegisteredToken): number {
  const timeOf = (at: string | null): number => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));
  return Math.min(timeOf(expiresAt), timeOf(revokedAt));
}

/** Whether the booking database lists the tenant. `source_unavailable` names `--without-source`. */
export async function isInSource(
  tenantId: TenantId,
  settings: CliSettings,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await withSourceReading(settings, signal, (client) => isTenantListed(client, tenantId));
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code === "interrupted") throw error;
    throw new Failure(
      "source_unavailable",
      `Whether the booking database has a tenant ${tenantId} could not be asked; nothing was done. ${message.replace(/\.?$/, ".")} ` +
        "If it surely has none, pass --without-source.",
      { cause: error },
    );
  }
}
