import { expect } from "vitest";
import { Failure } from "../../core/ground/failure.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";

/** How the process ends at a call: before it reached the store, or when it was done but not answered. */
type Death = "before" | "after";

interface DyingStore extends ObjectStore {
  /** Calls that reached the store. */
  calls(): number;
}

/**
 * Does the work once, and then gives the store of a process that dies at a call of it, for every call (or one
 * in `stride`) and both ways to die. `atLeast`: so many calls the work has to make.
 */
export async function* deathsIn(
  work: (store: ObjectStore) => Promise<unknown>,
  store: () => ObjectStore,
  { atLeast, stride = 1 }: { readonly atLeast: number; readonly stride?: number },
): AsyncGenerator<{ readonly what: string; dying(): ObjectStore }> {
  const whole = dyingStore(store(), Number.POSITIVE_INFINITY, "before");
  await work(whole);
  expect(whole.calls()).toBeGreaterThanOrEqual(atLeast);
  for (let at = 1; at <= whole.calls(); at += stride) {
    for (const death of ["before", "after"] as const) {
      yield { what: `${death} call ${at}`, dying: () => dyingStore(store(), at, death) };
    }
  }
}

/**
 * The store of a process that dies at its call number `at` (from 1): that one and all that follow are not
 * answered.
 */
function dyingStore(store: ObjectStore, at: number, death: Death): DyingStore {
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
