import { LRUCache } from "lru-cache";
import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { type PointerVersion, readLiveManifest, readPointer } from "../../publish/snapshot/live-snapshot.ts";
import type { VouchedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";

/** What is live of a tenant. A manifest that a gateway refuses is damaged, even if its first lines can be read (P4). */
export type LiveReading<Live = VouchedSnapshot> =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly live: Live }
  /** `pointer` is `null` when it is the pointer that is damaged. */
  | { readonly kind: "damaged"; readonly pointer: PointerVersion | null; readonly reason: string };

/** What a manifest says of all its programs together. */
export interface LiveHead {
  readonly generatedAt: string;
  readonly contentAt: string;
  readonly programs: number;
}

export function headOf({ manifest }: Pick<VouchedSnapshot, "manifest">): LiveHead {
  const { generatedAt, contentAt = generatedAt, programs } = manifest;
  return { generatedAt, contentAt, programs: programs.count };
}

/**
 * The heads of manifests that were read whole, by digest, so that each view of a page reads one object a tenant. They are kept
 * for a minute only: a manifest that is damaged meanwhile must not look whole for long.
 */
const heads = new WeakMap<ObjectStore, LRUCache<string, LiveHead>>();

export async function readLiveHead(store: ObjectStore, tenantId: TenantId, signal: AbortSignal) {
  return await readLive(store, tenantId, signal, async (pointer) => {
    const known = heads.get(store) ?? new LRUCache<string, LiveHead>({ max: 20_000, ttl: 60_000 });
    heads.set(store, known);
    const key = `${tenantId} ${pointer.current.manifestSha256}`;
    const head = known.get(key) ?? headOf(await vouched(store, pointer, signal));
    if (!known.has(key)) known.set(key, head);
    return { pointer, ...head };
  });
}

/** What is live, as `read` reads it. */
export async function readLive<Live>(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
  read: (pointer: PointerVersion) => Promise<Live>,
): Promise<LiveReading<Live>> {
  let pointer: PointerVersion | undefined;
  try {
    pointer = await readPointer(store, tenantId, signal);
    return pointer === undefined ? { kind: "none" } : { kind: "read", live: await read(pointer) };
  } catch (error) {
    const { code, message } = asFailure(error);
    // One damaged tenant must not hide the others. A store that is away does hide all.
    if (code !== "corrupt_document") throw error;
    return { kind: "damaged", pointer: pointer ?? null, reason: message };
  }
}

export async function vouched(
  store: ObjectStore,
  pointer: PointerVersion,
  signal: AbortSignal,
): Promise<VouchedSnapshot> {
  return { pointer, manifest: await readLiveManifest(store, pointer.current, signal) };
}
