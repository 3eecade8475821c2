import type pg from "pg";
import type { QueryConfig, QueryResult } from "pg";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { SourceClient, SourcePool } from "../../database/connect.ts";

/** The pool, where each query of a reading waits for `giveWay`. */
export function patientPool(pool: SourcePool, giveWay: () => Promise<void>): SourcePool {
  return {
    withReading: (read, limits) =>
      pool.withReading((client) => {
        const query = async (
          query: string | QueryConfig | pg.Query,
          values?: unknown[],
        ): Promise<QueryResult | pg.Query> => {
          await giveWay();
          return await client.query(query as QueryConfig, values);
        };
        return read(Object.assign(Object.create(client) as SourceClient, { query }));
      }, limits),
  };
}

/** The store, where each write waits for `giveWay`. */
export function patientStore(store: ObjectStore, giveWay: () => Promise<void>): ObjectStore {
  return {
    ...store,
    async put(key, body, options) {
      await giveWay();
      return await store.put(key, body, options);
    },
    async copy(from, to, options) {
      await giveWay();
      return await store.copy(from, to, options);
    },
  };
}
