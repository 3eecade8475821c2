import type { ObjectStore } from "./object-store.ts";

/** Number of calls to a store by operation, which is what a run costs. A listing counts as one call per 1,000 objects. */
export interface StoreRequests {
  readonly get: number;
  readonly put: number;
  readonly list: number;
  readonly delete: number;
}

export interface CountingStore extends ObjectStore {
  requests(): StoreRequests;
}

export function countingStore(store: ObjectStore): CountingStore {
  const counts = { get: 0, put: 0, list: 0, delete: 0 };
  return {
    ...store,
    requests: () => ({ ...counts }),
    get(key, options) {
      counts.get += 1;
      return store.get(key, options);
    },
    put(key, body, options) {
      counts.put += 1;
      return store.put(key, body, options);
    },
    copy(from, to, options) {
      // Stores charge a copy like a put.
      counts.put += 1;
      return store.copy(from, to, options);
    },
    async *list(prefix, options) {
      let seen = 0;
      counts.list += 1;
      for await (const object of store.list(prefix, options)) {
        seen += 1;
        if (seen > 1 && seen % pageSize === 1) counts.list += 1;
        yield object;
      }
    },
    async *listFolders(prefix, options) {
      counts.list += 1;
      yield* store.listFolders(prefix, options);
    },
    delete(keys, options) {
      counts.delete += Math.ceil(keys.length / pageSize);
      return store.delete(keys, options);
    },
  };
}

const pageSize = 1000;
