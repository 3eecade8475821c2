import { asFailure, Failure } from "../../core/failure.ts";
import { randomBase62, type StoreId } from "../../core/ids.ts";
import { bytesBody } from "../../core/object-body.ts";
import { type ObjectKey, storeKey, tenantsPrefix } from "../../core/object-key.ts";
import type { CallOptions, ObjectStore } from "../../core/object-store.ts";
import { openStore } from "../../core/open-store.ts";
import {
  readStoreIdentity,
  type StoreIdentity,
  storeIdentityBytes,
  wrongStore,
} from "../../core/store-identity.ts";
import type { CliSettings, Shell } from "./shell.ts";
import { requireConditionalWrites } from "./store-probe.ts";

/**
 * Opens the store of the settings, runs with it, and closes it. Throws `settings` when `STORE_ID` names another store
 * (P161). A command that changes what partners see wraps the store by `identifiedStore`.
 */
export async function withStore<Result>(
  settings: CliSettings,
  run: (store: ObjectStore) => Promise<Result>,
): Promise<Result> {
  const { storeUrl, s3ForcePathStyle, storeTimeoutMs, storeId } = settings;
  const place = { address: storeUrl, forcePathStyle: s3ForcePathStyle, timeoutMs: storeTimeoutMs };
  const store = await openStore(place);
  try {
    if (storeId !== undefined) {
      const wrong = wrongStore(storeId, (await readStoreIdentity(store))?.storeId, store.address);
      if (wrong !== undefined) throw wrong;
    }
    return await run(store);
  } finally {
    await store.close();
  }
}

/** A store for commands that write. */
export interface IdentifiedStore extends ObjectStore {
  /** P11: throws unless the store honours conditional writes, which is asked once. A `file:` store's driver decides them itself. */
  requireConditions(): Promise<void>;
  /** P161: makes the next write check the identity again: a volume may be unmounted under a process that runs for long. */
  identifyAnew(): void;
  /** Whether there is a store. Does not begin one. */
  exists(): Promise<boolean>;
}

/** P160: before the first write it reads the store's identity, or creates it and says so. Readers don't use this wrapper. */
export function identifiedStore(
  store: ObjectStore,
  { storeId: wanted, storeUrl }: Pick<CliSettings, "storeId" | "storeUrl">,
  shell: Shell,
): IdentifiedStore {
  let known: StoreId | undefined;
  let identifying: Promise<boolean> | undefined;
  let probing: Promise<void> | undefined;

  function requireConditions(): Promise<void> {
    if (storeUrl.kind !== "s3") return Promise.resolve();
    probing ??= requireConditionalWrites(store, shell).catch((error: unknown) => {
      // A store that was away is asked again.
      if (asFailure(error).code !== "store_unsupported") probing = undefined;
      throw error;
    });
    return probing;
  }

  /** Reads the identity; begins the store if there is none and it may. Returns whether there is a store now. */
  async function identify(mayBegin: boolean): Promise<boolean> {
    // After an interruption the report is still written, so the check must not be aborted then.
    const options = shell.signal.aborted ? {} : { signal: shell.signal };
    const found = await readStoreIdentity(store, options);
    // With `STORE_ID` set, no other store is written to, and none is begun (P161).
    const wrong = wrongStore(wanted, found?.storeId, store.address);
    if (wrong !== undefined) throw wrong;
    // A store that has changed since the last look is not written to (P161).
    if (known !== undefined && found?.storeId !== known) {
      const now = found === undefined ? `has no ${storeKey} any more` : `is the store ${found.storeId} now`;
      throw new Failure(
        "store_unavailable",
        `${store.address} was the store ${known} and ${now}, so nothing is written there. Is the volume mounted?`,
      );
    }
    known = (found ?? (mayBegin ? await begin(options) : undefined))?.storeId;
    return known !== undefined;
  }

  /** When two processes begin a store at once, the conditional write lets one win (P11). */
  async function begin(options: CallOptions): Promise<StoreIdentity> {
    await requireConditions();
    const storeId = `store_${randomBase62(16, shell.randomBytes)}` as StoreId;
    const body = bytesBody(storeIdentityBytes({ storeId, createdAt: shell.now().toISOString() }));
    await store.put(storeKey, body, { ...options, condition: { kind: "absent" } });
    const identity = await readStoreIdentity(store, options);
    if (identity === undefined) {
      throw new Failure("store_unavailable", `${storeKey} was written and is not there; try again.`);
    }
    if (identity.storeId === storeId) {
      shell.stderr.write(
        `partner-programs: this begins a new store in ${store.address}: ${storeId}. If there should have been one, check STORE_URL and ` +
          `whether the volume is mounted. STORE_ID=${storeId} keeps every command and gateway to it.\n`,
      );
    }
    return identity;
  }

  /** All writes wait for one check. When it fails, each of them fails with it, and the next write checks again. */
  async function identified(): Promise<void> {
    identifying ??= identify(true).catch((error: unknown) => {
      identifying = undefined;
      throw error;
    });
    await identifying;
  }

  /** P11: which snapshot of a tenant is live is decided by conditional writes alone. */
  async function mayPut(key: ObjectKey): Promise<void> {
    await identified();
    if (key.startsWith(tenantsPrefix)) await requireConditions();
  }

  return {
    ...store,
    put: (key, body, options) => mayPut(key).then(() => store.put(key, body, options)),
    copy: (from, to, options) => mayPut(to).then(() => store.copy(from, to, options)),
    delete: (keys, options) => identified().then(() => store.delete(keys, options)),
    tidy: (prefix, options) => identified().then(() => store.tidy(prefix, options)),
    requireConditions,
    identifyAnew() {
      identifying = undefined;
    },
    async exists() {
      if (identifying === undefined && !(await identify(false))) return false;
      identifying ??= Promise.resolve(true);
      return await identifying;
    },
  };
}
