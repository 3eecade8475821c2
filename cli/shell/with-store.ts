import type { ObjectStore } from "../../core/object-store.ts";
import { openStore } from "../../core/open-store.ts";
import type { CliSettings } from "./shell.ts";

/** Runs with the store of the settings and closes it afterwards. */
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
    return await run(store);
  } finally {
    await store.close();
  }
}
