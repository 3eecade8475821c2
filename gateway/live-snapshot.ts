import { type Current, maxCurrentBytes, parseCurrent } from "../core/current.ts";
import { Failure, type FailureCode } from "../core/failure.ts";
import type { TenantId } from "../core/ids.ts";
import type { Manifest } from "../core/manifest.ts";
import { readBody } from "../core/object-body.ts";
import { currentKey, manifestKey } from "../core/object-key.ts";
import type { ETag } from "../core/object-store.ts";
import { maxManifestBytes, readManifest } from "../core/read-manifest.ts";
import type { KeptSnapshot } from "./mirror.ts";
import type { StoreReader } from "./store-watch.ts";

/** A tenant's pointer and the manifest that it names. */
export interface ReadSnapshot {
  readonly tenantId: TenantId;
  /** The pointer's generation. It rises with every publication, also with a rollback to an older snapshot. */
  readonly generation: number;
  readonly manifest: Manifest;
  /** The pointer's version in the store; `undefined` when it comes from the last good copy. */
  readonly etag: ETag | undefined;
}

/** The snapshot that a tenant's partners see. */
export interface LiveSnapshot extends ReadSnapshot {
  /** The header lines of responses from this snapshot. */
  readonly headers: string;
  /** `undefined` while the snapshot is confirmed to be live. */
  readonly unconfirmed: Unconfirmed | undefined;
}

/** W162: since when, and why, the gateway does not know whether the snapshot is still live. */
export interface Unconfirmed {
  /** RFC 3339, UTC. */
  readonly since: string;
  readonly code: FailureCode;
}

/** The lowest generation that the gateway still accepts, with its snapshot. */
export type Floor = Pick<Current, "generation" | "snapshotId">;

export interface KnownSnapshot {
  readonly tenantId: TenantId;
  readonly before: ReadSnapshot | undefined;
  readonly floor: Floor | undefined;
  /** Takes what was read and found right. */
  readonly keep?: ((snapshot: KeptSnapshot) => void) | undefined;
}

/**
 * Reads which snapshot is live: `before` if the pointer has not changed, else the one that the pointer names now. Throws when
 * the pointer or the manifest is missing, foreign, damaged, or older than `floor`.
 */
export async function readLiveSnapshot(
  store: StoreReader,
  { tenantId, before, floor, keep }: KnownSnapshot,
  signal?: AbortSignal,
): Promise<ReadSnapshot> {
  const key = currentKey(tenantId);
  const found = await store.get(key, { ifNoneMatch: before?.etag, signal });
  if (found.kind === "missing") {
    throw new Failure("not_found", `${key} is missing: the tenant has no published snapshot.`);
  }
  if (found.kind === "not_modified") {
    if (before !== undefined) return before;
    throw new Failure("store_unsupported", `The store says that ${key} is unchanged without being asked.`);
  }
  const pointer = await readBody(found, maxCurrentBytes, key);
  const current = parseCurrent(pointer, tenantId);
  refuseOlder(current, floor, key);
  if (before?.generation === current.generation) {
    keep?.({ manifest: before.manifest, manifestBytes: undefined, pointer });
    return { ...before, etag: found.etag };
  }
  const { manifest, manifestBytes } = await readManifestOf(store, current, signal);
  keep?.({ manifest, manifestBytes, pointer });
  return { tenantId, generation: current.generation, manifest, etag: found.etag };
}

/** P3: a generation never falls and never names two snapshots. A pointer that breaks this is an old copy or another store's. */
function refuseOlder(current: Current, floor: Floor | undefined, key: string): void {
  if (floor === undefined || current.generation > floor.generation) return;
  if (current.generation === floor.generation && current.snapshotId === floor.snapshotId) return;
  const found = `generation ${current.generation} (snapshot ${current.snapshotId})`;
  const seen = `generation ${floor.generation} (snapshot ${floor.snapshotId})`;
  throw new Failure("corrupt_document", `${key} went back from ${seen} to ${found}.`);
}

/** The manifest that the pointer names, with its bytes. */
export async function readManifestOf(
  store: StoreReader,
  current: Current,
  signal?: AbortSignal,
): Promise<{ readonly manifest: Manifest; readonly manifestBytes: Buffer }> {
  const key = manifestKey(current.tenantId, current.snapshotId);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") throw new Failure("corrupt_document", `${key} is live but missing.`);
  const manifestBytes = await readBody(found, maxManifestBytes, key);
  return { manifest: await readManifest([manifestBytes], current), manifestBytes };
}
