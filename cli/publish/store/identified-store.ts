import { asFailure, Failure } from "../../../core/failure.ts";
import type { StoreId } from "../../../core/ids.ts";
import { randomBase62 } from "../../../core/ids.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { storeKey } from "../../../core/object-key.ts";
import type { CallOptions, ObjectStore } from "../../../core/object-store.ts";
import {
  readStoreIdentity,
  type StoreIdentity,
  storeIdentityBytes,
  wrongStore,
} from "../../../core/store-identity.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";

/** A store for commands that write. */
export interface IdentifiedStore extends ObjectStore {
  /**
   * Makes the next write check the store's identity again. A process that runs for long calls this before each piece of work,
   * because a volume may be unmounted under it.
   */
  identifyAnew(): void;
  /** Whether there is a store. Does not begin one. */
  exists(): Promise<boolean>;
}

export interface BeginningOptions {
  /** Is called before a new store is begun. Throws unless the store honours conditional writes (P11). */
  readonly requireConditions: () => Promise<void>;
}

/**
 * Wraps a store for writing. Before the first write it reads the store's identity, `store.json`, or creates it and says so
 * (P160). Readers, probes and dry runs use the store without this wrapper, so they never begin one.
 */
export function identifiedStore(
  store: ObjectStore,
  settings: CliSettings,
  shell: Shell,
  { requireConditions }: BeginningOptions,
): IdentifiedStore {
  let known: StoreId | undefined;
  let identifying: Promise<void> | undefined;

  async function identify(options: CallOptions): Promise<void> {
    const found = await readStoreIdentity(store, options);
    // With `STORE_ID` set, no other store is written to, and none is begun (P161).
    const wrong = wrongStore(settings.storeId, found?.storeId, store.address);
    if (wrong !== undefined) throw wrong;
    // A store that has changed since the last look is not written to (P162).
    if (known !== undefined && found?.storeId !== known) throw changedStore(store, known, found?.storeId);
    known = (found ?? (await begin(options))).storeId;
  }

  async function begin(options: CallOptions): Promise<StoreIdentity> {
    // When two processes begin a store at once, the conditional write lets one win (P11).
    await requireConditions();
    const storeId = `store_${randomBase62(16, shell.randomBytes)}` as StoreId;
    const identity = await putIdentity(store, { storeId, createdAt: shell.now().toISOString() }, options);
    if (identity.storeId === storeId) {
      shell.stderr.write(
        `partner-programs: this begins a new store in ${store.address}: ${storeId}. If there should have been one, check STORE_URL and ` +
          `whether the volume is mounted. STORE_ID=${storeId} keeps every command and gateway to it.\n`,
      );
    }
    return identity;
  }

  /** All writes wait for one check. When it fails, each of them fails with it, and the next write checks again. */
  function identified(): Promise<void> {
    // After an interruption the report is still written, so the check must not be aborted then.
    const signal = shell.signal.aborted ? undefined : shell.signal;
    identifying ??= identify({ signal }).catch((error: unknown) => {
      identifying = undefined;
      throw error;
    });
    return identifying;
  }

  return {
    ...store,
    async put(key, body, options) {
      await identified();
      return await store.put(key, body, options);
    },
    async copy(from, to, options) {
      await identified();
      return await store.copy(from, to, options);
    },
    async delete(keys, options) {
      await identified();
      await store.delete(keys, options);
    },
    async tidy(prefix, options) {
      await identified();
      await store.tidy(prefix, options);
    },
    identifyAnew() {
      identifying = undefined;
    },
    exists: async () => (await readStoreIdentity(store)) !== undefined,
  };
}

/** Writes the identity and returns the stored one, which another process may have written first. */
async function putIdentity(
  store: ObjectStore,
  identity: StoreIdentity,
  options: CallOptions,
): Promise<StoreIdentity> {
  let failure = new Failure("store_unavailable", `${storeKey} was refused and is not there; try again.`);
  try {
    const body = bytesBody(storeIdentityBytes(identity));
    const { kind } = await store.put(storeKey, body, { ...options, condition: { kind: "absent" } });
    if (kind === "stored") return identity;
  } catch (error) {
    failure = asFailure(error);
  }
  const found = await readStoreIdentity(store, options);
  if (found === undefined) throw failure;
  return found;
}

function changedStore({ address }: ObjectStore, before: StoreId, found: StoreId | undefined): Failure {
  const now = found === undefined ? `has no ${storeKey} any more` : `is the store ${found} now`;
  return new Failure(
    "store_unavailable",
    `${address} was the store ${before} and ${now}, so nothing is written there. Is the volume mounted?`,
  );
}
