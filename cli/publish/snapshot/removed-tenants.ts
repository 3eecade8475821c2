import { isTenantId, type TenantId } from "../../../core/ids.ts";
import { readBody } from "../../../core/object-body.ts";
import { removedKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore } from "../../../core/object-store.ts";
import { documentBytes, parseStoredDocument } from "../../../core/stored-document.ts";
import type { RemovedDocument } from "../../../schemas/generated/types.ts";
import { isRemovedDocument } from "../../../schemas/generated/validators-administration.ts";
import { editDocument } from "./edit-document.ts";

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

/** Changes the document by one compare-and-swap, see `editDocument`. */
export async function editRemovedTenants(
  store: ObjectStore,
  signal: AbortSignal,
  edit: (tenants: RemovedTenants) => RemovedTenants,
): Promise<void> {
  let revision = 0;
  const read = async () => {
    const stored = await readStored(store, signal);
    ({ revision } = stored);
    return { value: stored.tenants, etag: stored.etag };
  };
  const bytes = (tenants: RemovedTenants): Buffer => removedBytes(tenants, revision + 1);
  await editDocument(store, { key: removedKey, read, bytes }, signal, edit);
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
