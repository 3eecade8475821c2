import type { SnapshotId, TenantId } from "../../../core/ground/ids.ts";
import { markKey, type SnapshotMark } from "../../../core/ground/object-key.ts";
import { bytesBody, documentBytes } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { type MarkedRollback, readMark } from "../../read/snapshots/snapshot-marks.ts";

/**
 * Puts a mark beside a snapshot. Only its existence and its time by the store's clock decide about the
 * snapshot. The content is for people who look into the store, and tells which rollbacks happened.
 */
export async function putMark(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  mark: SnapshotMark,
  now: Date,
  rollbacks?: readonly MarkedRollback[],
): Promise<void> {
  const format = `partner-programs/${mark}@1`;
  const document = { format, tenantId, snapshotId, at: now.toISOString(), rollbacks };
  await store.put(markKey(tenantId, snapshotId, mark), bytesBody(documentBytes(document)));
}

/**
 * Marks the snapshot as withdrawn and appends the rollback to those that replaced it before. Called before
 * the swap of the pointer, so a rollback killed in between leaves an entry of what did not happen.
 */
export async function markRollback(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  rollback: MarkedRollback,
  signal: AbortSignal,
): Promise<void> {
  const known = await readMark(store, tenantId, snapshotId, "withdrawn", signal);
  // A script that goes back and forth must not make the mark grow without end.
  const rollbacks = [...(known?.rollbacks ?? []), rollback].slice(-50);
  await putMark(store, tenantId, snapshotId, "withdrawn", new Date(rollback.at), rollbacks);
}
