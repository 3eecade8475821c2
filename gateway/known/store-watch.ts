import { Failure } from "../../core/ground/failure.ts";
import type { StoreId } from "../../core/ground/ids.ts";
import { type ObjectKey, tokensKey } from "../../core/ground/object-key.ts";
import { noStore, readStoreIdentity, type StoreIdentity, wrongStore } from "../../core/process/open-store.ts";
import type { GetResult } from "../../core/store/object-store.ts";
import type { StoreReader } from "./store-reader.ts";

export interface StoreWatchOptions {
  /** For looks at `store.json`. */
  readonly store: StoreReader;
  /** For messages. */
  readonly address: string;
  readonly wanted: StoreId | undefined;
  /** Monotonic, ms. */
  readonly clock: () => number;
}

/**
 * Checks that the store that answers is the gateway's own: the one that `STORE_ID` names, else the first one
 * that the gateway saw. An empty folder or another store would answer as well, and turn every good token into
 * a 401 and every good body into a damaged one.
 */
export class StoreWatch {
  readonly #options: StoreWatchOptions;
  #known: StoreId | undefined;
  #found: StoreIdentity | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Looks may overlap. What the one found that began last counts. */
  #looksBegun = 0;
  #lookThatCounts = 0;
  #wasRight = false;
  /** Why the last look missed the gateway's store; `isOther`: another answers, and nothing of it is used. */
  #fault: { readonly failure: Failure; readonly isOther: boolean } | undefined;

  constructor(options: StoreWatchOptions) {
    this.#options = options;
    this.#known = options.wanted;
  }

  /**
   * A reader that fails while the store is missing (W160) or another one (W161). It looks at `store.json`
   * when an answer is suspicious, before anybody uses it, and every 5 s with the registry.
   */
  guard(guarded: StoreReader): StoreReader {
    return {
      get: async (key, options) => {
        // The registry is asked for at intervals, which finds out that the right store is back.
        if (this.#fault?.isOther && key !== tokensKey) throw this.#fault.failure;
        const result = await guarded.get(key, options);
        const lookedMsAgo = this.#options.clock() - this.#lookedAtMs;
        if (!isSuspicious(key, result, options?.ifNoneMatch !== undefined, lookedMsAgo)) return result;
        try {
          await this.#look(options?.signal);
        } catch (error) {
          if (result.kind === "object") result.body.destroy();
          throw error;
        }
        return result;
      },
    };
  }

  /** Makes this the gateway's store, unless `STORE_ID` names one or one was seen before. */
  adopt(storeId: StoreId | undefined): void {
    this.#known ??= storeId;
  }

  /** The gateway's store; `undefined` while none is known. */
  storeId(): StoreId | undefined {
    return this.#known;
  }

  /** The store that answered last; `undefined` when none did. */
  found(): StoreIdentity | undefined {
    return this.#found;
  }

  /** The id of the store that answered last, if it is another one. */
  otherStoreId(): StoreId | undefined {
    return this.#found?.storeId === this.#known ? undefined : this.#found?.storeId;
  }

  /** Why this process must not become ready: so far it has found no store, or only other ones (W161, W96). */
  wrongStart(): string | undefined {
    return this.#wasRight ? undefined : this.#fault?.failure.message;
  }

  /** Reads `store.json` and throws unless it is the gateway's store. */
  async #look(signal?: AbortSignal): Promise<void> {
    const { store, address, wanted, clock } = this.#options;
    this.#looksBegun += 1;
    const number = this.#looksBegun;
    const identity = await readStoreIdentity(store, { signal });
    const storeId = identity?.storeId;
    const wrong = wrongStore(wanted, storeId, address) ?? anotherStore(this.#known, storeId, address);
    const failure = wrong ?? (storeId === undefined ? noStore(address) : undefined);
    if (number > this.#lookThatCounts) {
      this.#lookThatCounts = number;
      this.#found = identity;
      this.#fault = failure && { failure, isOther: failure === wrong };
      this.#lookedAtMs = failure === undefined ? clock() : Number.NEGATIVE_INFINITY;
    }
    if (failure !== undefined) throw failure;
    this.#known ??= storeId;
    this.#wasRight = true;
  }
}

function anotherStore(
  known: StoreId | undefined,
  storeId: StoreId | undefined,
  address: string,
): Failure | undefined {
  if (known === undefined || storeId === undefined || storeId === known) return undefined;
  const remedy = `Check STORE_URL and the volume; if ${storeId} is meant, set STORE_ID to it and restart with an empty LAST_GOOD_DIR.`;
  const what = `${address} is the store ${storeId}, and this gateway went by ${known}.`;
  return new Failure("store_unreachable", `${what} ${remedy}`);
}

/** A replaced store usually has another registry. Pointers may change; the rest is checked by digests. */
function isSuspicious(
  key: ObjectKey,
  { kind }: GetResult,
  isConditional: boolean,
  lookedMsAgo: number,
): boolean {
  if (kind === "missing") return true;
  if (key !== tokensKey) return kind === "object" && isConditional;
  return kind === "object" || lookedMsAgo >= lookEveryMs;
}

const lookEveryMs = 5000;
