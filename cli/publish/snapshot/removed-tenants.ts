import { setTimeout as delay } from "node:timers/promises";
import { asFailure, Failure } from "../../../core/failure.ts";
import { isTenantId, type TenantId } from "../../../core/ids.ts";
import { bytesBody, readBody } from "../../../core/object-body.ts";
import { removedKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/object-store.ts";
import { documentBytes, parseStoredDocument } from "../../../core/stored-document.ts";
import type { RemovedDocument } from "../../../schemas/generated/types.ts";
import { isRemovedDocument } from "../../../schemas/generated/validators-administration.ts";

/** What `tenants/removed.json` says of one tenant. */
export interface RemovedTenant {
  /** RFC 3339, UTC; `null` after the tenant came back. */
  readonly removedAt: string | null;
  readonly isPurged: boolean;
  /** P92: the highest generation that the tenant may have had. */
  readonly generation: number;
}

export type RemovedTenants = ReadonlyMap<TenantId, RemovedTenant>;

/** Empty when no tenant was ever removed. Throws `corrupt_document`. */
export async function readRemovedTenants(store: ObjectStore, signal: AbortSignal): Promise<RemovedTenants> {
  return (await readStored(store, signal)).tenants;
}

/**
 * Replaces the document with the result of `edit`, by one compare-and-swap. `edit` runs again after a conflict. When it returns
 * the map that it was given, nothing is written.
 */
export async function editRemovedTenants(
  store: ObjectStore,
  signal: AbortSignal,
  edit: (tenants: RemovedTenants) => RemovedTenants,
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { tenants, revision, etag } = await readStored(store, signal);
    const edited = edit(tenants);
    if (edited === tenants) return;
    const condition: PutCondition = etag === undefined ? { kind: "absent" } : { kind: "match", etag };
    try {
      const body = bytesBody(removedBytes(edited, revision + 1));
      const { kind } = await store.put(removedKey, body, { condition, signal });
      if (kind === "stored") return;
    } catch (error) {
      // If the write has arrived, the next reading shows it, and nothing is left to edit.
      if (asFailure(error).code !== "store_unavailable" || attempt > 1) throw error;
    }
    await delay(Math.random() * maxPauseMs * attempt, undefined, { signal });
  }
  throw new Failure("store_unavailable", `${removedKey} changed all the time; try again.`);
}

/** The tenants with this entry for `tenantId`. Returns the same map if it has the entry already. */
export function withRemoved(
  tenants: RemovedTenants,
  tenantId: TenantId,
  removed: RemovedTenant,
): RemovedTenants {
  const known = tenants.get(tenantId);
  const isSame =
    known?.removedAt === removed.removedAt &&
    known.isPurged === removed.isPurged &&
    known.generation === removed.generation;
  return isSame ? tenants : new Map([...tenants, [tenantId, removed]]);
}

const maxAttempts = 8;
const maxPauseMs = 100;
/** About 100 bytes for each tenant that was ever removed. */
const maxBytes = 16 * 1024 * 1024;

async function readStored(
  store: ObjectStore,
  signal: AbortSignal,
): Promise<{ readonly tenants: RemovedTenants; readonly revision: number; readonly etag: ETag | undefined }> {
  const found = await store.get(removedKey, { signal });
  if (found.kind !== "object") return { tenants: new Map(), revision: 0, etag: undefined };
  const bytes = await readBody(found, maxBytes, removedKey);
  const document = parseStoredDocument<RemovedDocument>(bytes, isRemovedDocument, removedKey);
  const tenants = new Map<TenantId, RemovedTenant>();
  for (const [tenantId, { removedAt, isPurged, generation }] of Object.entries(document.tenants)) {
    if (isTenantId(tenantId)) tenants.set(tenantId, { removedAt, isPurged, generation });
  }
  return { tenants, revision: document.revision, etag: found.etag };
}

function removedBytes(tenants: RemovedTenants, revision: number): Buffer {
  const sorted = [...tenants].sort(([a], [b]) => (a < b ? -1 : 1));
  const document: RemovedDocument = {
    format: "partner-programs/removed@1",
    revision,
    tenants: Object.fromEntries(sorted),
  };
  return documentBytes(document);
}
