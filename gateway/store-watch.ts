import type { Readable } from "node:stream";
import { asFailure, Failure } from "../core/failure.ts";
import type { StoreId } from "../core/ids.ts";
import type { ObjectStore } from "../core/object-store.ts";
import { noStore, readStoreIdentity, wrongStore } from "../core/store-identity.ts";

/**
 * Checks that the store that answers is the gateway's own: the one that `STORE_ID` names, else the first one that the gateway
 * saw. An empty folder or another store would answer as well, and turn every good token into a 401 and every good body into
 * a damaged one.
 */
export interface StoreWatch {
  /**
   * Called with each answer of the store about the registry, before the gateway uses the answer. Throws when there is no store
   * (W160) or another one (W161). Looks at each changed registry, and at intervals while none changes, since a replaced store
   * usually has another registry.
   */
  confirm(isChanged: boolean, signal: AbortSignal): Promise<void>;
  /** The reader for everything else. It fails while the store is missing or another one, instead of finding objects missing. */
  guard(store: StoreReader): StoreReader;
  /** Makes this the gateway's store, unless `STORE_ID` names one or one was seen before. */
  adopt(storeId: StoreId | undefined): void;
  /** The gateway's store; `undefined` while none is known. */
  storeId(): StoreId | undefined;
  /** The store that answered last, if it is another one. */
  otherStoreId(): StoreId | undefined;
  /**
   * Why this process must not become ready, even if it could serve its last good copy: so far it has found no store, or only
   * other ones (W161, W164). `undefined` once it has seen its own.
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
  /** Looks may overlap. What the one found that began last counts. */
  let looksBegun = 0;
  let lookThatCounts = 0;
  /** Set while another store answers, so that none of its answers is used. */
  let refusal: Failure | undefined;
  let wasRight = false;
  /** The failure of the last look. */
  let fault: Failure | undefined;

  /** Reads `store.json` and throws unless it is the gateway's store. */
  async function look(signal?: AbortSignal): Promise<void> {
    looksBegun += 1;
    const number = looksBegun;
    const storeId = (await readStoreIdentity(store, { signal }))?.storeId;
    const wrong = wrongStore(wanted, storeId, address) ?? anotherStore(storeId);
    const seen = wrong ?? (storeId === undefined ? noStore(address) : undefined);
    if (number > lookThatCounts) {
      lookThatCounts = number;
      [found, refusal, fault] = [storeId, wrong, seen];
      lookedAtMs = seen === undefined ? clock() : Number.NEGATIVE_INFINITY;
    }
    if (seen !== undefined) throw seen;
    known ??= storeId;
    wasRight = true;
  }

  function anotherStore(storeId: StoreId | undefined): Failure | undefined {
    if (known === undefined || storeId === undefined || storeId === known) return undefined;
    return new Failure(
      "store_unreachable",
      `${address} is the store ${storeId}, and this gateway went by ${known}. Check STORE_URL and the volume; if ${storeId} is meant, set STORE_ID to it and restart with an empty LAST_GOOD_DIR.`,
    );
  }

  return {
    async confirm(isChanged, signal) {
      if (isChanged || clock() - lookedAtMs >= lookEveryMs) await look(signal);
    },

    guard: (guarded) => ({
      async get(key, options) {
        if (refusal !== undefined) throw refusal;
        const result = await guarded.get(key, options);
        // Only pointers and missing objects need a look. All other objects are checked by their digests.
        const isChanged = result.kind === "object" && options?.ifNoneMatch !== undefined;
        if (!isChanged && result.kind !== "missing") return result;
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
    otherStoreId: () => (found === known ? undefined : found),
    wrongStart: () => (wasRight ? undefined : fault?.message),
  };
}

const lookEveryMs = 5000;

/** The gateway only reads from the store. */
export type StoreReader = Pick<ObjectStore, "get">;

/**
 * A reader that reports each call's outcome (`object`, `missing`, ... or a failure's code) and its duration (W95). The call's
 * signal also ends the body, at once and even while the body stalls. Drivers by themselves look at the signal only until
 * they answer, or until a small body is complete.
 */
export function guardedReader(
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
