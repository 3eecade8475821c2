import { asFailure, Failure } from "../core/failure.ts";
import type { StoreId } from "../core/ids.ts";
import { tokensKey } from "../core/object-key.ts";
import { noStore, readStoreIdentity, wrongStore } from "../core/store-identity.ts";
import type { StoreReader } from "./store-reader.ts";

/**
 * Whether the store that answers is the one that this gateway goes by: the one that `STORE_ID` names, else the first one
 * that it saw. An empty folder and another store answer as readily as the right one, and both would turn every good token
 * into a 401 and every good body into a damaged one.
 */
export interface StoreWatch {
  /**
   * To be called with each answer of the store about the registry, before that is believed. Throws where there is no store
   * (W160), or another one (W161).
   */
  confirm(registry: "object" | "missing" | "not_modified", signal: AbortSignal): Promise<void>;
  /** The reader for everything else: it fails while the store is away or another one, where it would find objects missing. */
  guard(store: StoreReader): StoreReader;
  /** Goes by this store from now on, unless `STORE_ID` names one. */
  goBy(storeId: StoreId | undefined): void;
  /** The store that it goes by; `undefined` while none is known. */
  storeId(): StoreId | undefined;
  /** The store that answered last, if it is another one than that. */
  otherStoreId(): StoreId | undefined;
  /**
   * Why this process is no replacement for one that runs, whatever its last good copy lets it serve: the only stores that it
   * has seen were none, or others (W161, W164). `undefined` once it has seen its own.
   */
  wrongStart(): string | undefined;
}

export interface StoreWatchOptions {
  /** For looks at `store.json`. */
  readonly store: StoreReader;
  /** For messages. */
  readonly address: string;
  readonly wanted: StoreId | undefined;
  /** Monotonic, ms. */
  readonly clock: () => number;
}

export function createStoreWatch({ store, address, wanted, clock }: StoreWatchOptions): StoreWatch {
  let known = wanted;
  let found: StoreId | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Why nothing may be believed now that the store says: it is another one. */
  let refusal: Failure | undefined;
  let wasRight = false;
  /** What the last look had against the store. */
  let fault: Failure | undefined;

  /** `undefined`: the store has no identity, or credentials of an earlier version do not show it. */
  async function identity(signal: AbortSignal | undefined): Promise<StoreId | undefined> {
    try {
      return (await readStoreIdentity(store, { signal }))?.storeId;
    } catch (error) {
      if (wanted !== undefined || asFailure(error).code !== "store_denied") throw error;
      return undefined;
    }
  }

  async function hasRegistry(signal: AbortSignal | undefined): Promise<boolean> {
    const registry = await store.get(tokensKey, { signal });
    if (registry.kind === "object") registry.body.destroy();
    return registry.kind === "object";
  }

  /** Reads `store.json` and throws unless the store may be believed. */
  async function look(isRegistryThere: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
    const storeId = await identity(signal);
    const isAway = storeId === undefined && !(await isRegistryThere());
    found = storeId;
    refusal = wrongStore(wanted, storeId, address) ?? anotherStore(storeId);
    fault = refusal ?? (isAway ? noStore(address) : undefined);
    lookedAtMs = Number.NEGATIVE_INFINITY;
    if (fault !== undefined) throw fault;
    known ??= storeId;
    wasRight = true;
    lookedAtMs = clock();
  }

  /** W161: a store without identity that has a registry is one of an earlier version, as before. */
  function anotherStore(storeId: StoreId | undefined): Failure | undefined {
    if (known === undefined || storeId === undefined || storeId === known) return undefined;
    return new Failure(
      "store_unreachable",
      `${address} is the store ${storeId}, and this gateway went by ${known}. Check STORE_URL and the volume; if ${storeId} is meant, set STORE_ID to it and restart with an empty LAST_GOOD_DIR.`,
    );
  }

  return {
    async confirm(registry, signal) {
      const isDue = clock() - lookedAtMs >= lookEveryMs;
      if (registry === "not_modified" && !isDue) return;
      await look(async () => registry !== "missing", signal);
    },

    guard: (guarded) => ({
      async get(key, options) {
        if (refusal !== undefined) throw refusal;
        const result = await guarded.get(key, options);
        // Whatever names no other objects proves itself by its digest.
        const isChanged = result.kind === "object" && options?.ifNoneMatch !== undefined;
        if (!isChanged && result.kind !== "missing") return result;
        try {
          await look(() => hasRegistry(options?.signal), options?.signal);
        } catch (error) {
          if (result.kind === "object") result.body.destroy();
          throw error;
        }
        return result;
      },
    }),

    goBy(storeId) {
      known ??= storeId;
    },
    storeId: () => known,
    otherStoreId: () => (found === known ? undefined : found),
    wrongStart: () => (wasRight ? undefined : fault?.message),
  };
}

/** While the registry does not change. A store that is replaced mostly has another one. */
const lookEveryMs = 5000;
