import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { ExpectedManifest } from "../../../core/read-manifest.ts";
import { type PointerVersion, readPointer } from "../../publish/snapshot/live-snapshot.ts";

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
