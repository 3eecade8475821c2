import { isTenantId, type TenantId } from "../../../core/ids.ts";
import { readBody } from "../../../core/object-body.ts";
import { removedKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore } from "../../../core/object-store.ts";
import { documentBytes, parseStoredDocument } from "../../../core/stored-document.ts";
import type { RemovedDocument } from "../../../schemas/generated/types.ts";
import { isRemovedDocument } from "../../../schemas/generated/validators-administration.ts";
import { editDocument } from "./edit-document.ts";

/** `tenants/removed.json`: the tenants that are removed, and when (RFC 3339, UTC). One that came back is taken out. */
export type RemovedTenants = ReadonlyMap<TenantId, string>;

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

/** The tenants with this one, unless it is among them already. */
export function withRemoved(tenants: RemovedTenants, tenantId: TenantId, removedAt: string): RemovedTenants {
  return tenants.has(tenantId) ? tenants : new Map([...tenants, [tenantId, removedAt]]);
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
  // Version 0.2 kept an entry without a time for a tenant that came back.
  const removed = Object.entries(document.tenants).flatMap(([id, { removedAt }]) =>
    isTenantId(id) && removedAt !== null ? [[id, removedAt] as const] : [],
  );
  return { tenants: new Map(removed), revision: document.revision, etag: found.etag };
}

function removedBytes(tenants: RemovedTenants, revision: number): Buffer {
  const sorted = [...tenants].sort(([a], [b]) => (a < b ? -1 : 1));
  return documentBytes({
    format: "partner-programs/removed@1",
    revision,
    tenants: Object.fromEntries(sorted.map(([tenantId, removedAt]) => [tenantId, { removedAt }])),
  } satisfies RemovedDocument);
}
