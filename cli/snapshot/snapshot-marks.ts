import type { SnapshotId, TenantId } from "../../core/ids.ts";
import { bytesBody } from "../../core/object-body.ts";
import { markKey, type SnapshotMark } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { documentBytes } from "../../core/stored-document.ts";

/**
 * Notes something beside a snapshot. The content is for people who look into the store; what counts is that the object
 * exists, and since when by the store's clock.
 */
export async function putMark(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  mark: SnapshotMark,
  now: Date,
): Promise<void> {
  const document = { format: `partner-programs/${mark}@1`, tenantId, snapshotId, at: now.toISOString() };
  await store.put(markKey(tenantId, snapshotId, mark), bytesBody(documentBytes(document)));
}

/** Since when the snapshot bears the mark, or `null`. */
export async function readMark(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  mark: SnapshotMark,
  signal: AbortSignal,
): Promise<Date | null> {
  const found = await store.get(markKey(tenantId, snapshotId, mark), { signal });
  if (found.kind !== "object") return null;
  found.body.destroy();
  return found.modifiedAt;
}
