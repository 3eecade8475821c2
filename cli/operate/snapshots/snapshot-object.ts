import { isProgramId, isSnapshotId, type SnapshotId, type TenantId } from "../../../core/ids.ts";
import {
  manifestKey,
  markKey,
  type ObjectKey,
  type ResponseName,
  responseKey,
  snapshotsPrefix,
} from "../../../core/object-key.ts";

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
