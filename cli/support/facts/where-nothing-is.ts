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
  const place = `The store (${store.address}${isSet ? "" : ", the default, since STORE_URL is not set"})`;
  const check = "Check STORE_URL, or see `snapshot build`.";
  for await (const _ of storedTenants(store, signal)) return `${place} holds other tenants. ${check}`;
  for await (const _ of store.listFolders("", { signal })) {
    return `${place} holds something, but no published tenant. ${check}`;
  }
  return `${place} holds nothing at all. Check STORE_URL; in a new installation, see \`snapshot build\`.`;
}
