import type { ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { responseBytes } from "../../publish/snapshot/stored-response.ts";

/** A stored response as a value. Throws `corrupt_document` when it is not what the manifest vouches for. */
export async function storedJson(
  store: ObjectStore,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<unknown> {
  return JSON.parse((await responseBytes(store, entry, signal)).toString("utf8"));
}
