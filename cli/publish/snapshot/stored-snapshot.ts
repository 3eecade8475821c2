import { Failure } from "../../../core/failure.ts";
import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { type PointerVersion, readLiveManifest, readPointer, readPublishedPointer } from "./live-snapshot.ts";
import { readStoredManifest } from "./stored-manifest.ts";

/** What partners of a tenant see: the pointer and the manifest that it vouches for. */
export interface VouchedSnapshot {
  readonly pointer: PointerVersion;
  readonly manifest: Manifest;
}

/** A snapshot that somebody asked for, and the one that is live. */
export interface ChosenSnapshot {
  readonly manifest: Manifest;
  readonly isLive: boolean;
  readonly live: VouchedSnapshot;
}

/** The live snapshot, `undefined` when nothing was ever published for the tenant. */
export async function publishedSnapshot(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<VouchedSnapshot | undefined> {
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer === undefined) return undefined;
  return { pointer, manifest: await readLiveManifest(store, pointer.current, signal) };
}

/** The snapshot of that id, or the live one; throws `not_found`. */
export async function chosenSnapshot(
  store: ObjectStore,
  tenantId: TenantId,
  chosen: SnapshotId | undefined,
  signal: AbortSignal,
): Promise<ChosenSnapshot> {
  const pointer = await readPublishedPointer(store, tenantId, signal);
  const live = { pointer, manifest: await readLiveManifest(store, pointer.current, signal) };
  if (chosen === undefined || chosen === pointer.current.snapshotId) {
    return { manifest: live.manifest, isLive: true, live };
  }
  const stored = await readStoredManifest(store, tenantId, chosen, signal);
  if (stored !== undefined) return { manifest: stored.manifest, isLive: false, live };
  throw new Failure(
    "not_found",
    `Tenant ${tenantId} has no snapshot ${chosen}; it may have been pruned. \`snapshot list --tenant ${tenantId}\` shows what is there.`,
  );
}
