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

/** When a snapshot got a mark. */
export interface StoredMark {
  /** By the store's clock. */
  readonly storedAt: Date;
  /** By the clock of the process that put it; `null` when the content is damaged. The mark counts all the same. */
  readonly at: string | null;
}

/** `undefined` when the snapshot has no such mark. */
export async function readMark(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  mark: SnapshotMark,
  signal: AbortSignal,
): Promise<StoredMark | undefined> {
  const key = markKey(tenantId, snapshotId, mark);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") return undefined;
  const bytes = await readBody(found, maxMarkBytes, key).catch(() => Buffer.alloc(0));
  const at = /"at":"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/.exec(bytes.toString("utf8"))?.[1] ?? "";
  return { storedAt: found.modifiedAt, at: Number.isNaN(Date.parse(at)) ? null : at };
}

const maxMarkBytes = 64 * 1024;
