import type { ObjectStore } from "./object-store.ts";

/** Calls to a store by operation: what a run costs. A listing counts as one call per 1,000 objects. */
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
  const counted = <Result>(kind: keyof StoreRequests, result: Result, times = 1): Result => {
    counts[kind] += times;
    return result;
  };
  return {
    ...store,
    requests: () => ({ ...counts }),
    get: (...call) => counted("get", store.get(...call)),
    put: (...call) => counted("put", store.put(...call)),
    // Stores charge a copy like a put.
    copy: (...call) => counted("put", store.copy(...call)),
    async *list(...call) {
      let seen = 0;
      counts.list += 1;
      for await (const object of store.list(...call)) {
        seen += 1;
        if (seen > 1 && seen % pageSize === 1) counts.list += 1;
        yield object;
      }
    },
    listFolders: (...call) => counted("list", store.listFolders(...call)),
    delete: (keys, options) =>
      counted("delete", store.delete(keys, options), Math.ceil(keys.length / pageSize)),
  };
}

const pageSize = 1000;
