import { parseTenantId } from "../../core/ground/ids.ts";
import { sourceMemoryKey } from "../../core/ground/object-key.ts";
import { bytesBody, readBody, sha256Hex } from "../../core/store/object-body.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";

/** The text of a tenant's `source.json`; empty when there is none. */
export async function memoryText(store: ObjectStore, tenant: string): Promise<string> {
  const key = sourceMemoryKey(parseTenantId(tenant));
  const found = await store.get(key);
  return found.kind === "object" ? (await readBody(found, 2 ** 24, key)).toString() : "";
}

/** Stores a changed text of it, sealed as a generator does. */
export async function writeMemoryText(store: ObjectStore, tenant: string, text: string): Promise<void> {
  const content = text.slice(0, text.lastIndexOf(',"sha256":'));
  const sealed = `${content},"sha256":"${sha256Hex(Buffer.from(content))}"}`;
  await store.put(sourceMemoryKey(parseTenantId(tenant)), bytesBody(Buffer.from(sealed)));
}
