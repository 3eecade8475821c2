import { readLiveManifest, readPointer } from "../../cli/publish/snapshot/stored-snapshot.ts";
import { responseEntry } from "../../core/documents/manifest.ts";
import { parseTenantId } from "../../core/ground/ids.ts";
import { currentKey, manifestKey, type ObjectKey, type ResponseName } from "../../core/ground/object-key.ts";
import { bytesBody, readBody, sha256Hex } from "../../core/store/object-body.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";

/**
 * Changes a live response, and manifest and pointer so that they vouch for it: what a defect of the generator
 * would leave.
 */
export async function forgeResponse(
  store: ObjectStore,
  tenant: string,
  name: ResponseName,
  change: (text: string) => string,
): Promise<void> {
  const tenantId = parseTenantId(tenant);
  const read = async (key: ObjectKey): Promise<string> => {
    const found = await store.get(key);
    if (found.kind !== "object") throw new Error(`${key} is missing`);
    return (await readBody(found, 2 ** 30, key)).toString();
  };
  const replace = async (key: ObjectKey, from: string, to: string): Promise<void> => {
    const text = await read(key);
    if (!text.includes(from)) throw new Error(`${key} does not have ${from}`);
    await store.put(key, bytesBody(Buffer.from(text.replace(from, () => to))));
  };
  const never = new AbortController().signal;
  const pointer = await readPointer(store, tenantId, never);
  if (pointer === undefined) throw new Error(`nothing is live of ${tenant}`);
  const manifest = await readLiveManifest(store, pointer.current, never);
  const entry = responseEntry(manifest, name);
  if (entry === undefined) throw new Error(`the snapshot has no such response`);
  const forged = bytesBody(Buffer.from(change(await read(entry.key))));
  const statement = (sha256: string, size: number): string => `"sha256":"${sha256}","size":${size}`;
  const key = manifestKey(tenantId, manifest.snapshotId);
  const before = sha256Hex(Buffer.from(await read(key)));
  await store.put(entry.key, forged);
  await replace(key, statement(entry.sha256, entry.size), statement(forged.sha256, forged.size));
  await replace(currentKey(tenantId), before, sha256Hex(Buffer.from(await read(key))));
}
