import type { StoreId } from "../../core/ground/ids.ts";
import { storeKey } from "../../core/ground/object-key.ts";
import { storeIdentityBytes } from "../../core/process/open-store.ts";
import { bytesBody } from "../../core/store/object-body.ts";
import type { ObjectStore, PutCondition } from "../../core/store/object-store.ts";

/** A well-formed id that ends as given: `testStoreId("b")` is another store than `testStoreId("a")`. */
export function testStoreId(ending = "a"): StoreId {
  return `store_${ending.padStart(16, "0")}` as StoreId;
}

/** Gives the store an identity, as the first command that writes does: later ones say nothing of it. */
export async function beginTestStore(
  store: Pick<ObjectStore, "put">,
  storeId = testStoreId(),
  condition?: PutCondition,
): Promise<void> {
  const bytes = storeIdentityBytes({ storeId, createdAt: "2026-11-01T00:00:00.000Z" });
  await store.put(storeKey, bytesBody(bytes), { condition });
}
