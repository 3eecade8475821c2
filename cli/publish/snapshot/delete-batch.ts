import type { ObjectKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";

/** S3 deletes this many objects by one request. */
const maxKeys = 1000;

/** Objects that were handed over for deletion, and their bytes. */
export type Deleted = Readonly<ReturnType<typeof deleteBatch>["deleted"]>;

/** Deletes objects, many by one call, and counts them. In a dry run it only counts. */
export function deleteBatch(store: ObjectStore, dryRun: boolean, signal: AbortSignal) {
  const keys: ObjectKey[] = [];
  const deleted = { deletedObjects: 0, deletedBytes: 0 };
  /** Resolves when everything that was added is gone. */
  async function flush(): Promise<void> {
    if (keys.length > 0) await store.delete(keys.splice(0), { signal });
  }
  async function add(key: ObjectKey, size: number): Promise<void> {
    deleted.deletedObjects += 1;
    deleted.deletedBytes += size;
    if (!dryRun) keys.push(key);
    if (keys.length >= maxKeys) await flush();
  }
  return { deleted, add, flush };
}
