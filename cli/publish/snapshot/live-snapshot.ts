import { type Current, maxCurrentBytes, parseCurrent } from "../../../core/current.ts";
import { asFailure, Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { piecesOf, readBody } from "../../../core/object-body.ts";
import { currentKey, manifestKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore } from "../../../core/object-store.ts";
import { type ExpectedManifest, readManifest } from "../../../core/read-manifest.ts";
import { unknownTenant } from "./stored-tenants.ts";

/** The pointer as it was read. A compare-and-swap succeeds only while the stored pointer is the same. */
export interface PointerVersion {
  readonly etag: ETag;
  readonly current: Current;
  /** When it was written, by the store's clock. */
  readonly modifiedAt: Date;
}

/** The tenant's pointer, or `undefined` when nothing was ever published. Throws `corrupt_document`. */
export async function readPointer(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<PointerVersion | undefined> {
  const key = currentKey(tenantId);
  const result = await store.get(key, { signal });
  if (result.kind !== "object") return undefined;
  try {
    const bytes = await readBody(result, maxCurrentBytes, key);
    return { etag: result.etag, current: parseCurrent(bytes, tenantId), modifiedAt: result.modifiedAt };
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code !== "corrupt_document") throw error;
    const step = `Remove ${key}, then run \`snapshot build --tenant ${tenantId}\`: gateways go on with what they have until then.`;
    throw new Failure(code, `${message} ${step}`, { cause: error });
  }
}

/** The tenant's pointer. Throws `not_found` when there is none. */
export async function readPublishedPointer(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<PointerVersion> {
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer !== undefined) return pointer;
  const what = `Nothing is published for tenant ${tenantId}. Check the id, or run \`snapshot build --tenant ${tenantId}\`.`;
  throw await unknownTenant(store, tenantId, what, signal);
}

/** The manifest that the pointer names. Throws `corrupt_document` when it is missing or cannot be trusted. */
export async function readLiveManifest(
  store: ObjectStore,
  pointer: ExpectedManifest,
  signal: AbortSignal,
): Promise<Manifest> {
  const { tenantId, snapshotId } = pointer;
  const result = await store.get(manifestKey(tenantId, snapshotId), { signal });
  if (result.kind === "object") return await readManifest(piecesOf(result), pointer);
  throw new Failure("corrupt_document", `Snapshot ${snapshotId} of tenant ${tenantId} has no manifest.json.`);
}
