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

/** What is live of a tenant. A manifest that a gateway refuses is damaged, even if its first lines can be read (P4). */
export type LiveReading<Content> =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly pointer: PointerVersion; readonly content: Content }
  /** `pointer` is `null` when it is the pointer that is damaged. */
  | { readonly kind: "damaged"; readonly pointer: PointerVersion | null; readonly reason: string };

/** What is live, with the manifest as `read` reads it. Damage is a result: one damaged tenant must not hide the others. */
export async function readLive<Content>(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
  read: (pointer: ExpectedManifest) => Promise<Content>,
): Promise<LiveReading<Content>> {
  let pointer: PointerVersion | undefined;
  try {
    pointer = await readPointer(store, tenantId, signal);
    if (pointer === undefined) return { kind: "none" };
    return { kind: "read", pointer, content: await read(pointer.current) };
  } catch (error) {
    const { code, message } = asFailure(error);
    // A store that is away does hide all tenants.
    if (code !== "corrupt_document") throw error;
    return { kind: "damaged", pointer: pointer ?? null, reason: message };
  }
}
