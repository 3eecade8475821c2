import type { ObjectStore } from "../../../core/object-store.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";

/**
 * P56: where nothing was found, since a wrong `STORE_URL` looks like an installation without data: the store by its address,
 * which holds no secret, and whether it holds anything at all. `isSet`: whether somebody chose the store.
 */
export async function whereNothingIs(
  store: ObjectStore,
  isSet: boolean,
  signal: AbortSignal,
): Promise<string> {
  const place = `${store.address}${isSet ? "" : ", the default, since STORE_URL is not set"}`;
  if (await isAny(storedTenants(store, signal))) {
    return `The store (${place}) holds other tenants. Check STORE_URL, or see \`snapshot build\`.`;
  }
  if (await isAny(store.listFolders("", { signal }))) {
    return `The store (${place}) holds something, but no published tenant. Check STORE_URL, or see \`snapshot build\`.`;
  }
  return `The store (${place}) holds nothing at all. Check STORE_URL; in a new installation, see \`snapshot build\`.`;
}

async function isAny(folders: AsyncIterable<string>): Promise<boolean> {
  for await (const _ of folders) return true;
  return false;
}
