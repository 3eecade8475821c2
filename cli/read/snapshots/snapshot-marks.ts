import { isProgramId, isSnapshotId, type SnapshotId, type TenantId } from "../../../core/ground/ids.ts";
import {
  manifestKey,
  markKey,
  type ObjectKey,
  type ResponseName,
  responseKey,
  type SnapshotMark,
  snapshotsPrefix,
} from "../../../core/ground/object-key.ts";
import { readBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";

/** A rollback from the snapshot that has the mark. */
export interface MarkedRollback {
  /** RFC 3339. */
  readonly at: string;
  /** The snapshot that became live; `null` in marks of version 0.2, which did not say. */
  readonly to: SnapshotId | null;
  /** The pointer's generation after the rollback; `null` in marks of version 0.2. */
  readonly generation: number | null;
}

/**
 * When the snapshot got the mark, by the store's clock, and the rollbacks in it, oldest first; `undefined`
 * without such a mark. One whose content is damaged counts as a mark of version 0.2.
 */
export async function readMark(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  mark: SnapshotMark,
  signal: AbortSignal,
) {
  const key = markKey(tenantId, snapshotId, mark);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") return undefined;
  const text = String(await readBody(found, 64 * 1024, key).catch(() => ""));
  const rollbacks = [...text.matchAll(rollbackEntry)].flatMap(
    ([, at = "", to = "", generation]): MarkedRollback[] =>
      isTime(at) && isSnapshotId(to) ? [{ at, to, generation: Number(generation) }] : [],
  );
  const [, at = ""] = /"at":"([^"]{20,30})"/.exec(text) ?? [];
  const first = { at: isTime(at) ? at : found.modifiedAt.toISOString(), to: null, generation: null };
  return { storedAt: found.modifiedAt, rollbacks: rollbacks.length > 0 ? rollbacks : [first] };
}

const rollbackEntry = /\{"at":"([^"]{20,30})","to":"([^"]{1,40})","generation":(\d{1,16})\}/g;

function isTime(text: string): boolean {
  return /^[\d:.TZ-]+$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** An object in a snapshot's folder, and its kind. */
export interface SnapshotObject {
  readonly key: ObjectKey;
  readonly snapshotId: SnapshotId;
  readonly kind: "response" | "manifest" | "mark";
}

/** The object that this key names; `undefined` for a key that this program never writes. */
export function snapshotObject(tenantId: TenantId, text: string): SnapshotObject | undefined {
  const prefix = snapshotsPrefix(tenantId);
  const [snapshotId = ""] = text.slice(prefix.length).split("/", 1);
  if (!text.startsWith(prefix) || !isSnapshotId(snapshotId)) return undefined;
  const object = (kind: SnapshotObject["kind"], key: ObjectKey): SnapshotObject | undefined =>
    key === text ? { key, snapshotId, kind } : undefined;
  const response = (name: ResponseName): SnapshotObject | undefined =>
    object("response", responseKey(tenantId, snapshotId, name));
  const programId = text.slice(text.lastIndexOf("/") + 1).replace(/\.json$/, "");
  return (
    (isProgramId(programId) ? response({ kind: "detail", programId }) : undefined) ??
    response({ kind: "list" }) ??
    response({ kind: "legacy" }) ??
    object("manifest", manifestKey(tenantId, snapshotId)) ??
    object("mark", markKey(tenantId, snapshotId, "withdrawn")) ??
    object("mark", markKey(tenantId, snapshotId, "condemned"))
  );
}
