import type { ObjectStore } from "../../../core/object-store.ts";
import { settingText } from "../../../core/setting-parser.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import type { Shell } from "../../shell/shell.ts";

/**
 * Names the store in which nothing was found, and says whether it holds anything at all (P56), because a wrong `STORE_URL`
 * looks like an installation without data. The address holds no secret.
 */
export async function whereNothingIs(store: ObjectStore, { env, signal }: Shell): Promise<string> {
  const isSet = settingText("STORE_URL", env) !== undefined;
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
