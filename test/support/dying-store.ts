import { Failure } from "../../core/failure.ts";
import type { ObjectStore } from "../../core/object-store.ts";

/** How the process ends at a call: before it reached the store, or when it was done but not answered. */
export type Death = "before" | "after";

export interface DyingStore extends ObjectStore {
  /** Calls that reached the store. */
  calls(): number;
}

/** The store of a process that dies at its call number `at` (from 1): that one and all that follow are not answered. */
export function dyingStore(store: ObjectStore, at: number, death: Death): DyingStore {
  let made = 0;
  const dead = (): never => {
    throw new Failure("interrupted", "the process is dead");
  };
  async function call<Result>(perform: () => Promise<Result>): Promise<Result> {
    made += 1;
    if (made > at || (made === at && death === "before")) return dead();
    const result = await perform();
    return made === at ? dead() : result;
  }
  return {
    address: store.address,
    calls: () => made,
    get: (key, options) => call(() => store.get(key, options)),
    put: (key, body, options) => call(() => store.put(key, body, options)),
    copy: (from, to, options) => call(() => store.copy(from, to, options)),
    delete: (keys, options) => call(() => store.delete(keys, options)),
    tidy: (prefix, options) => call(() => store.tidy(prefix, options)),
    async *list(prefix, options) {
      await call(async () => {});
      yield* store.list(prefix, options);
    },
    async *listFolders(prefix, options) {
      await call(async () => {});
      yield* store.listFolders(prefix, options);
    },
    close: () => store.close(),
  };
}
