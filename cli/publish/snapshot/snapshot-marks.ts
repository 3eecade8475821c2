import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import { bytesBody, readBody } from "../../../core/object-body.ts";
import { markKey, type SnapshotMark } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { documentBytes } from "../../../core/stored-document.ts";

/**
 * Puts a mark beside a snapshot. Only its existence and its time by the store's clock count; the content is for people who look
 * into the store.
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

/** When the snapshot got the mark; `null` when it has none. */
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

/**
 * When the mark was put, by the clock of the process that put it; `null` when the mark is missing or its content is damaged.
 */
export async function readMarkedAt(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  mark: SnapshotMark,
  signal: AbortSignal,
): Promise<string | null> {
  const key = markKey(tenantId, snapshotId, mark);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") return null;
  // A mark counts even if its content is damaged.
  const bytes = await readBody(found, maxMarkBytes, key).catch(() => Buffer.alloc(0));
  const at = /"at":"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/.exec(bytes.toString("utf8"))?.[1] ?? "";
  return Number.isNaN(Date.parse(at)) ? null : at;
}

const maxMarkBytes = 64 * 1024;
