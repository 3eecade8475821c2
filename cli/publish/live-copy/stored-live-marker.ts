import type { TenantId } from "../../../core/ids.ts";
import { bytesBody, readBody } from "../../../core/object-body.ts";
import { liveMarkerKey } from "../../../core/object-key.ts";
import type { ObjectStore, PutCondition, PutResult } from "../../../core/object-store.ts";
import { type LiveMarker, maxLiveMarkerBytes, parseLiveMarker } from "./live-marker.ts";

/** The tenant's marker: `missing` when there is none, `foreign` when what has its name is none. */
export async function readLiveMarker(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<LiveMarker | "missing" | "foreign"> {
  const key = liveMarkerKey(tenantId);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") return "missing";
  if (found.size > maxLiveMarkerBytes) {
    found.body.destroy();
    return "foreign";
  }
  const text = (await readBody(found.body, maxLiveMarkerBytes, key)).toString();
  return parseLiveMarker(text, tenantId) ?? "foreign";
}

/** Puts the text of a marker; `condition`: that nobody has put one since. */
export async function putLiveMarker(
  store: ObjectStore,
  tenantId: TenantId,
  text: string,
  condition?: PutCondition,
): Promise<PutResult> {
  return await store.put(liveMarkerKey(tenantId), bytesBody(Buffer.from(text)), { condition });
}
