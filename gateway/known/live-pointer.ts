import { type Current, parseCurrent } from "../../core/documents/current.ts";
import type { Manifest } from "../../core/documents/manifest.ts";
import { readManifest } from "../../core/documents/read-manifest.ts";
import { Failure } from "../../core/ground/failure.ts";
import type { TenantId } from "../../core/ground/ids.ts";
import { maxCurrentBytes, maxManifestBytes } from "../../core/ground/limits.ts";
import { currentKey, manifestKey, type ObjectKey } from "../../core/ground/object-key.ts";
import { readBody } from "../../core/store/object-body.ts";
import type { ETag } from "../../core/store/object-store.ts";
import type { StoreReading } from "./confirmed.ts";
import type { Copied } from "./mirror.ts";
import type { StoreReader } from "./store-reader.ts";

/** A tenant's pointer and the manifest that it names. */
export interface ReadSnapshot {
  readonly tenantId: TenantId;
  /** The pointer's generation. It rises with every publication, also with a rollback to an older snapshot. */
  readonly generation: number;
  readonly manifest: Manifest;
  /** The pointer's version in the store; `undefined` when it comes from the last good copy. */
  readonly etag: ETag | undefined;
}

/**
 * A tenant's pointer as this process has seen it, in the store and in the last good copy. What it has seen is
 * a floor: no reading gives an older generation, whatever else is forgotten (P3).
 */
export class LivePointer {
  readonly #tenantId: TenantId;
  readonly #key: ObjectKey;
  readonly #sources: Pick<StoreReading, "store" | "mirror">;
  #floor: SeenPointer | undefined;
  #isCopyLost = false;

  constructor(tenantId: TenantId, sources: Pick<StoreReading, "store" | "mirror">) {
    this.#tenantId = tenantId;
    this.#key = currentKey(tenantId);
    this.#sources = sources;
  }

  /**
   * The snapshot held if the pointer has not changed, else the one that the pointer names now. Throws when
   * the pointer or the manifest is missing, foreign, damaged, or older than one seen before.
   */
  async read(held: ReadSnapshot | undefined, beganAtMs: number, signal: AbortSignal): Promise<ReadSnapshot> {
    // W85: what the copy has lost is read whole again, and so kept again.
    const before = this.#isCopyLost ? undefined : held;
    const key = this.#key;
    const { store, mirror } = this.#sources;
    const found = await store.get(key, { ifNoneMatch: before?.etag, signal });
    if (found.kind === "missing") {
      throw new Failure("not_found", `${key} is missing: the tenant has no published snapshot.`);
    }
    if (found.kind === "not_modified") {
      if (before === undefined) throw new Failure("store_unsupported", `${key} is unchanged, unasked.`);
      this.#isCopyLost = mirror?.confirm(key, beganAtMs) === false;
      return before;
    }
    const pointer = await readBody(found, maxCurrentBytes, key);
    const current = parseCurrent(pointer, this.#tenantId);
    refuseOlder(current, this.#floor, key);
    const { tenantId, generation } = current;
    const isHeld = before?.generation === generation;
    const { manifest, manifestBytes } = isHeld
      ? { manifest: before.manifest, manifestBytes: undefined }
      : await readManifestOf(store, current, signal);
    mirror?.keepSnapshot(manifest, manifestBytes, pointer, beganAtMs);
    this.#isCopyLost = false;
    this.#floor = current;
    return { tenantId, generation, manifest, etag: found.etag };
  }

  /** The snapshot in the last good copy. */
  async restore(): Promise<Copied<ReadSnapshot> | undefined> {
    const { mirror } = this.#sources;
    const copy = await mirror?.document(this.#key);
    if (mirror === undefined || copy === undefined) return undefined;
    const current = parseCurrent(copy.value, this.#tenantId);
    // W79, P3: the generation of a copy counts even if the copy is too old to be served.
    this.#floor ??= current;
    const { manifest } = await readManifestOf(mirror.copy, current);
    const { tenantId, generation } = current;
    return {
      value: { tenantId, generation, manifest, etag: undefined },
      confirmedAtMs: copy.confirmedAtMs,
    };
  }
}

type SeenPointer = Pick<Current, "generation" | "snapshotId">;

/** P3: a generation never falls or names two snapshots. Such a pointer is an old copy or another store's. */
export function refuseOlder(current: SeenPointer, floor: SeenPointer | undefined, key: string): void {
  if (floor === undefined || current.generation > floor.generation) return;
  if (current.generation === floor.generation && current.snapshotId === floor.snapshotId) return;
  const found = `generation ${current.generation} (snapshot ${current.snapshotId})`;
  const seen = `generation ${floor.generation} (snapshot ${floor.snapshotId})`;
  throw new Failure("corrupt_document", `${key} went back from ${seen} to ${found}.`);
}

/** The manifest that the pointer names, with its bytes. */
async function readManifestOf(
  store: StoreReader,
  current: Current,
  signal?: AbortSignal,
): Promise<{ readonly manifest: Manifest; readonly manifestBytes: Buffer }> {
  const key = manifestKey(current.tenantId, current.snapshotId);
  const found = await store.get(key, { signal, wholeUpTo: maxManifestBytes });
  if (found.kind !== "object") throw new Failure("corrupt_document", `${key} is live but missing.`);
  const manifestBytes = await readBody(found, maxManifestBytes, key);
  // No request asks for the programs that builds took out, so memory does not hold them for each tenant.
  const { removed: _, ...manifest } = await readManifest([manifestBytes], current);
  return { manifest, manifestBytes };
}
