import type { ObjectStore } from "../../core/object-store.ts";
import { openStore } from "../../core/open-store.ts";
import { readStoreIdentity, wrongStore } from "../../core/store-identity.ts";
import type { CliSettings } from "./shell.ts";

/**
 * Opens the store of the settings, runs with it, and closes it. Throws `settings` when `STORE_ID` names another store
 * (P161). A command that changes what partners see opens the store by `withCheckedStore`.
 */
export async function withStore<Result>(
  settings: CliSettings,
  run: (store: ObjectStore) => Promise<Result>,
): Promise<Result> {
  const { storeUrl, s3ForcePathStyle, storeTimeoutMs } = settings;
  const store = await openStore({
    address: storeUrl,
    forcePathStyle: s3ForcePathStyle,
    timeoutMs: storeTimeoutMs,
  });
  try {
    await assertWanted(store, settings);
    return await run(store);
  } finally {
    await store.close();
  }
}

async function assertWanted(store: ObjectStore, { storeId }: CliSettings): Promise<void> {
  if (storeId === undefined) return;
  const wrong = wrongStore(storeId, (await readStoreIdentity(store))?.storeId, store.address);
  if (wrong !== undefined) throw wrong;
}
