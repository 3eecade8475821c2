import { interrupted } from "../../../core/ground/failure.ts";
import type { ObjectKey } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";

/** S3 deletes this many objects by one request. */
const maxKeys = 1000;

/** Objects that are gone, and their bytes. */
export type Deleted = Readonly<ReturnType<typeof deleteBatch>["deleted"]>;

/** Deletes objects, many by one call, and counts those that are gone. In a dry run it only counts. */
export function deleteBatch(store: ObjectStore, dryRun: boolean, signal: AbortSignal) {
  const waiting: { readonly key: ObjectKey; readonly size: number }[] = [];
  const deleted = { deletedObjects: 0, deletedBytes: 0 };
  /** Resolves when everything that was added is gone. */
  async function flush(): Promise<void> {
    const batch = waiting.splice(0);
    if (batch.length === 0) return;
    if (signal.aborted) throw interrupted("Deleting objects");
    // No signal ends the deletion, since nobody would know then what is gone.
    if (!dryRun) await store.delete(batch.map(({ key }) => key));
    deleted.deletedObjects += batch.length;
    deleted.deletedBytes += batch.reduce((sum, { size }) => sum + size, 0);
  }
  async function add(key: ObjectKey, size: number): Promise<void> {
    waiting.push({ key, size });
    if (waiting.length >= maxKeys) await flush();
  }
  return { deleted, add, flush };
}
