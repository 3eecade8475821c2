import { createHash } from "node:crypto";
import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import { detailEntry, type Manifest, type ResponseEntry } from "../../../core/manifest.ts";
import { manifestKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readManifest } from "../../../core/read-manifest.ts";

/** A manifest that no pointer vouches for, with the digest that a pointer to it would state. */
export interface StoredManifest {
  readonly manifest: Manifest;
  readonly sha256: string;
}

/**
 * The manifest of any snapshot, or `undefined` when it has none. Only the live one's digest is stated anywhere, so the
 * bytes are read twice, and both readings must agree: what is decided on their strength (to make it live, to delete what
 * it does not name) must not depend on a transfer that went wrong. Throws `corrupt_document`.
 */
export async function readStoredManifest(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  signal: AbortSignal,
): Promise<StoredManifest | undefined> {
  const key = manifestKey(tenantId, snapshotId);
  const first = await store.get(key, { signal });
  if (first.kind !== "object") return undefined;
  const hash = createHash("sha256");
  for await (const chunk of first.body as AsyncIterable<Buffer>) hash.update(chunk);
  const sha256 = hash.digest("hex");
  const second = await store.get(key, { signal });
  if (second.kind !== "object") return undefined;
  const manifest = await readManifest(second.body, { tenantId, snapshotId, manifestSha256: sha256 });
  return { manifest, sha256 };
}

/** Every response of the snapshot: the list, the legacy list, the details. */
export function* entriesOf(manifest: Manifest): Generator<ResponseEntry> {
  yield manifest.list;
  yield manifest.legacy;
  for (const id of manifest.programs.ids()) {
    const entry = detailEntry(manifest, id);
    if (entry !== undefined) yield entry;
  }
}
