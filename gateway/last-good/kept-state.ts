import {
  isSnapshotId,
  isStoreId,
  isTenantId,
  type SnapshotId,
  type StoreId,
  type TenantId,
} from "../../core/ids.ts";
import { sha256Hex } from "../../core/object-body.ts";
import type { ETag } from "../../core/object-store.ts";

/** The state that one gateway wrote: the registry and the pointers that it had last confirmed by then. */
export interface KeptState {
  /** Since 1970. */
  readonly writtenAtMs: number;
  readonly registry: KeptRegistry | undefined;
  readonly tenants: ReadonlyMap<TenantId, KeptPointer>;
}

export interface KeptRegistry {
  readonly sha256: string;
  readonly etag: ETag;
  readonly revision: number;
  /** The registry's store; `undefined` when the store has no identity. */
  readonly storeId: StoreId | undefined;
  /** Time since the last confirmation, by the monotonic clock; infinite when it is not known. */
  readonly ageMs: number;
}

export interface KeptPointer {
  readonly generation: number;
  readonly snapshotId: SnapshotId;
  /** `undefined` when only the generation is known, which counts as a lower bound all the same. */
  readonly manifest: { readonly sha256: string; readonly etag: ETag } | undefined;
  readonly ageMs: number;
}

/** W77: the state begins with its digest, since pointers and the registry have no digest of their own. */
export function stateBytes({ writtenAtMs, registry, tenants }: KeptState): Buffer {
  const document: StateDocument = {
    format,
    writtenAtMs,
    registry: registry === undefined ? null : { ...registry, ageMs: finite(registry.ageMs) },
    tenants: [...tenants].map(([tenantId, { generation, snapshotId, manifest, ageMs }]) => ({
      tenantId,
      generation,
      snapshotId,
      manifest: manifest ?? null,
      ageMs: finite(ageMs),
    })),
  };
  const text = Buffer.from(JSON.stringify(document));
  return Buffer.concat([Buffer.from(`${sha256Hex(text)}\n`), text]);
}

/** `undefined` when the state is torn, foreign or of another version. No part of it counts then. */
export function parseState(bytes: Buffer): KeptState | undefined {
  const text = bytes.subarray(sealLength);
  if (bytes.subarray(0, sealLength).toString("latin1") !== `${sha256Hex(text)}\n`) return undefined;
  const document = JSON.parse(text.toString()) as StateDocument;
  if (document.format !== format) return undefined;
  const tenants = new Map<TenantId, KeptPointer>();
  for (const { tenantId, generation, snapshotId, manifest, ageMs } of document.tenants) {
    if (!isTenantId(tenantId) || !isSnapshotId(snapshotId)) return undefined;
    if (manifest !== null && !isDigest(manifest.sha256)) return undefined;
    tenants.set(tenantId, { generation, snapshotId, manifest: manifest ?? undefined, ageMs: known(ageMs) });
  }
  const { registry, writtenAtMs } = document;
  if (registry !== null && !isDigest(registry.sha256)) return undefined;
  const storeId = isStoreId(registry?.storeId ?? "") ? registry?.storeId : undefined;
  return {
    writtenAtMs,
    registry: registry === null ? undefined : { ...registry, storeId, ageMs: known(registry.ageMs) },
    tenants,
  };
}

/** Whether the text has the form of a file's name. */
export function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

interface StateDocument {
  readonly format: typeof format;
  readonly writtenAtMs: number;
  readonly registry: (Omit<KeptRegistry, "ageMs"> & { readonly ageMs: number | null }) | null;
  readonly tenants: readonly {
    readonly tenantId: string;
    readonly generation: number;
    readonly snapshotId: string;
    readonly manifest: { readonly sha256: string; readonly etag: ETag } | null;
    readonly ageMs: number | null;
  }[];
}

const format = "partner-programs/last-good@1";
const sealLength = 65;

/** JSON has no infinity. */
const finite = (ageMs: number): number | null => (Number.isFinite(ageMs) ? ageMs : null);
const known = (ageMs: number | null): number => ageMs ?? Number.POSITIVE_INFINITY;
