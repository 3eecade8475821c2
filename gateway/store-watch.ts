import type { Readable } from "node:stream";
import { asFailure, Failure } from "../core/failure.ts";
import type { StoreId } from "../core/ids.ts";
import { tokensKey } from "../core/object-key.ts";
import type { GetResult, ObjectStore } from "../core/object-store.ts";
import { noStore, readStoreIdentity, type StoreIdentity, wrongStore } from "../core/open-store.ts";

/**
 * Checks that the store that answers is the gateway's own: the one that `STORE_ID` names, else the first one that the gateway
 * saw. An empty folder or another store would answer as well, and turn every good token into a 401 and every good body into
 * a damaged one.
 */
export interface StoreWatch {
  /**
   * A reader that fails while the store is missing (W160) or another one (W161). It looks at `store.json` when an answer is
   * suspicious, before anybody uses that answer, and every 5 s with an answer about the registry.
   */
  guard(store: StoreReader): StoreReader;
  /** Makes this the gateway's store, unless `STORE_ID` names one or one was seen before. */
  adopt(storeId: StoreId | undefined): void;
  /** The gateway's store; `undefined` while none is known. */
  storeId(): StoreId | undefined;
  /** The store that answered last; `undefined` when none did. */
  found(): StoreIdentity | undefined;
  /** The id of the store that answered last, if it is another one. */
  otherStoreId(): StoreId | undefined;
  /** Why this process must not become ready: so far it has found no store, or only other ones (W161, W96). */
  wrongStart(): string | undefined;
}

export function createStoreWatch({
  store,
  address,
  wanted,
  clock,
}: {
  /** For looks at `store.json`. */
  readonly store: StoreReader;
  /** For messages. */
  readonly address: string;
  readonly wanted: StoreId | undefined;
  /** Monotonic, ms. */
  readonly clock: () => number;
}): StoreWatch {
  let known = wanted;
  let found: StoreIdentity | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Looks may overlap. What the one found that began last counts. */
  let looksBegun = 0;
  let lookThatCounts = 0;
  let wasRight = false;
  /** Why the last look did not find the gateway's store; `isOther`: another store answers, so that nothing of it is used. */
  let fault: { readonly failure: Failure; readonly isOther: boolean } | undefined;

  /** Reads `store.json` and throws unless it is the gateway's store. */
  async function look(signal?: AbortSignal): Promise<void> {
    looksBegun += 1;
    const number = looksBegun;
    const identity = await readStoreIdentity(store, { signal });
    const storeId = identity?.storeId;
    const isOther = known !== undefined && storeId !== undefined && storeId !== known;
    const wrong = wrongStore(wanted, storeId, address) ?? (isOther ? anotherStore(storeId) : undefined);
    const failure = wrong ?? (storeId === undefined ? noStore(address) : undefined);
    if (number > lookThatCounts) {
      lookThatCounts = number;
      found = identity;
      fault = failure && { failure, isOther: failure === wrong };
      lookedAtMs = failure === undefined ? clock() : Number.NEGATIVE_INFINITY;
    }
    if (failure !== undefined) throw failure;
    known ??= storeId;
    wasRight = true;
  }

  function anotherStore(storeId: StoreId): Failure {
    const remedy = `Check STORE_URL and the volume; if ${storeId} is meant, set STORE_ID to it and restart with an empty LAST_GOOD_DIR.`;
    const what = `${address} is the store ${storeId}, and this gateway went by ${known}.`;
    return new Failure("store_unreachable", `${what} ${remedy}`);
  }

  /** A replaced store usually has another registry. Pointers may change; all other objects are checked by their digests. */
  function isSuspicious(key: string, { kind }: GetResult, isConditional: boolean): boolean {
    if (kind === "missing") return true;
    if (key !== tokensKey) return kind === "object" && isConditional;
    return kind === "object" || clock() - lookedAtMs >= lookEveryMs;
  }

  return {
    guard: (guarded) => ({
      async get(key, options) {
        // The registry is asked for at intervals, which finds out that the right store is back.
        if (fault?.isOther && key !== tokensKey) throw fault.failure;
        const result = await guarded.get(key, options);
        if (!isSuspicious(key, result, options?.ifNoneMatch !== undefined)) return result;
        try {
          await look(options?.signal);
        } catch (error) {
          if (result.kind === "object") result.body.destroy();
          throw error;
        }
        return result;
      },
    }),

    adopt(storeId) {
      known ??= storeId;
    },
    storeId: () => known,
    found: () => found,
    otherStoreId: () => (found?.storeId === known ? undefined : found?.storeId),
    wrongStart: () => (wasRight ? undefined : fault?.failure.message),
  };
}

const lookEveryMs = 5000;

/** The gateway only reads from the store. */
export type StoreReader = Pick<ObjectStore, "get">;

/**
 * A reader that reports each call's outcome (`object`, `missing`, ... or a failure's code) and its duration (W92). The call's
 * signal also ends the body, even while the body stalls: drivers look at the signal only until they answer.
 */
export function measuredReader(
  store: StoreReader,
  clock: () => number,
  onCall: (operation: "get", outcome: string, durationMs: number) => void,
): StoreReader {
  return {
    async get(key, options) {
      const startedAtMs = clock();
      try {
        const result = await store.get(key, options);
        onCall("get", result.kind, clock() - startedAtMs);
        if (result.kind === "object" && result.whole === undefined) endWith(result.body, options?.signal);
        return result;
      } catch (error) {
        onCall("get", asFailure(error).code, clock() - startedAtMs);
        throw error;
      }
    },
  };
}

function endWith(body: Readable, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) body.destroy();
  else signal?.addEventListener("abort", () => body.destroy(), { once: true });
}
