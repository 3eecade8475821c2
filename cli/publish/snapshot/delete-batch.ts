import type { ObjectKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";

/** S3 deletes this many objects by one request. */
const maxKeys = 1000;

/** Deletes objects, many by one call, and counts them. In a dry run it only counts. */
export class DeleteBatch {
  readonly #store: ObjectStore;
  readonly #dryRun: boolean;
  readonly #signal: AbortSignal;
  readonly #keys: ObjectKey[] = [];
  #objects = 0;
  #bytes = 0;

  constructor(store: ObjectStore, dryRun: boolean, signal: AbortSignal) {
    this.#store = store;
    this.#dryRun = dryRun;
    this.#signal = signal;
  }

  /** Objects that were handed over, and their bytes. */
  get deleted(): { readonly deletedObjects: number; readonly deletedBytes: number } {
    return { deletedObjects: this.#objects, deletedBytes: this.#bytes };
  }

  async add(key: ObjectKey, size: number): Promise<void> {
    this.#objects += 1;
    this.#bytes += size;
    if (!this.#dryRun) this.#keys.push(key);
    if (this.#keys.length >= maxKeys) await this.flush();
  }

  /** Resolves when everything that was added is gone. */
  async flush(): Promise<void> {
    const keys = this.#keys.splice(0);
    if (keys.length > 0) await this.#store.delete(keys, { signal: this.#signal });
  }
}
