import { unlessFailed } from "../../../core/ground/failure.ts";
import { isTenantId, type TenantId } from "../../../core/ground/ids.ts";
import { removedKey } from "../../../core/ground/object-key.ts";
import { documentBytes, parseStoredDocument, readBody } from "../../../core/store/object-body.ts";
import type { ObjectStore, StoredObject } from "../../../core/store/object-store.ts";
import type { RemovedDocument } from "../../../schemas/generated/types.ts";
import { isRemovedDocument } from "../../../schemas/generated/validators-administration.ts";
import { editDocument } from "./edit-document.ts";

/** `tenants/removed.json`: the removed tenants, and when (RFC 3339, UTC). One that returns is taken out. */
export type RemovedTenants = ReadonlyMap<TenantId, string>;

/** Empty when no tenant was ever removed. Throws `corrupt_document`. */
export async function readRemovedTenants(store: ObjectStore, signal: AbortSignal): Promise<RemovedTenants> {
  const found = await store.get(removedKey, { signal });
  return (found.kind === "object" ? await parsedRemoved(found) : noneRemoved).tenants;
}

/**
 * The removed tenants, read before the source, so that a tenant that is removed meanwhile does not look like
 * one that came back. A damaged document keeps only new tenants from being published (P19).
 */
export async function knownRemovals(store: ObjectStore, signal: AbortSignal): Promise<RemovedTenants> {
  const reading = readRemovedTenants(store, signal);
  return (await unlessFailed(reading, "corrupt_document", "store_denied")) ?? noneRemoved.tenants;
}

/** Changes the document by one compare-and-swap, see `editDocument`. */
export async function editRemovedTenants(
  store: ObjectStore,
  signal: AbortSignal,
  edit: (tenants: RemovedTenants) => RemovedTenants,
): Promise<void> {
  await editDocument(store, removedDocument, signal, (stored) => {
    const tenants = edit(stored.tenants);
    return tenants === stored.tenants ? stored : { tenants, revision: stored.revision + 1 };
  });
}

/** The tenants with this one, unless it is among them already. */
export function withRemoved(tenants: RemovedTenants, tenantId: TenantId, removedAt: string): RemovedTenants {
  return tenants.has(tenantId) ? tenants : new Map([...tenants, [tenantId, removedAt]]);
}

/** P91: removed tenants that the source has again. They are removed no longer; their tokens stay revoked. */
export async function reinstateReturned(
  store: ObjectStore,
  tenants: readonly TenantId[],
  removed: RemovedTenants,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<readonly TenantId[]> {
  const returned = tenants.filter((tenantId) => removed.has(tenantId));
  if (returned.length === 0 || dryRun) return returned;
  await editRemovedTenants(store, signal, (stored) => {
    // Another time means that the tenant was removed again.
    const back = returned.filter((tenantId) => stored.get(tenantId) === removed.get(tenantId));
    return back.length === 0 ? stored : new Map([...stored].filter(([tenantId]) => !back.includes(tenantId)));
  });
  return returned;
}

/** About 100 bytes for each tenant that was ever removed. */
const maxRemovedBytes = 16 * 1024 * 1024;

const noneRemoved = { tenants: new Map<TenantId, string>() as RemovedTenants, revision: 0 };
const removedDocument = {
  key: removedKey,
  parse: parsedRemoved,
  empty: noneRemoved,
  bytes: removedBytes,
  maxBytes: maxRemovedBytes,
  isReplaceable: false,
};

async function parsedRemoved(found: StoredObject): Promise<typeof noneRemoved> {
  const stored = await readBody(found, maxRemovedBytes, removedKey);
  const { tenants, revision } = parseStoredDocument<RemovedDocument>(stored, isRemovedDocument, removedKey);
  // Version 0.2 kept an entry without a time for a tenant that came back.
  const removed = Object.entries(tenants).flatMap(([id, { removedAt }]) =>
    isTenantId(id) && removedAt !== null ? [[id, removedAt] as const] : [],
  );
  return { tenants: new Map(removed), revision };
}

function removedBytes({ tenants, revision }: typeof noneRemoved): Buffer {
  const sorted = [...tenants].sort(([a], [b]) => (a < b ? -1 : 1));
  return documentBytes({
    format: "partner-programs/removed@1",
    revision,
    tenants: Object.fromEntries(sorted.map(([tenantId, removedAt]) => [tenantId, { removedAt }])),
  } satisfies RemovedDocument);
}
