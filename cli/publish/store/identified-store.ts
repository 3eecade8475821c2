import { randomBase62 } from "../../../core/base62.ts";
import { asFailure, Failure } from "../../../core/failure.ts";
import type { StoreId } from "../../../core/ids.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { storeKey, tenantsPrefix, tokensKey } from "../../../core/object-key.ts";
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
   * To be called by what lives long, before each piece of work: its first write looks again whether this is still the same
   * store. A volume may be unmounted under a running `snapshot watch`.
   */
  identifyAnew(): void;
  /** Whether there is a store yet: one with an identity, or of an earlier version. Begins nothing. */
  exists(): Promise<boolean>;
}

export interface BeginningOptions {
  /** Throws unless the store honours conditional writes (P11); called before a new store is begun. */
  readonly requireConditions: () => Promise<void>;
  /** Called when this process began a new store. */
  readonly onBegun?: ((at: Date) => void) | undefined;
}

/**
 * The store, where nothing is written before it has an identity (P160): the first write reads `store.json`, or makes it and
 * says so. Readers never come here, and probes go past it, so neither they nor dry runs begin a store.
 */
export function identifiedStore(
  store: ObjectStore,
  settings: CliSettings,
  shell: Shell,
  { requireConditions, onBegun }: BeginningOptions,
): IdentifiedStore {
  let known: StoreId | undefined;
  let identifying: Promise<void> | undefined;

  async function identify(options: CallOptions): Promise<void> {
    try {
      const found = await readStoreIdentity(store, options);
      // P161: with `STORE_ID` set nothing is begun, and nothing else is written.
      const wrong = wrongStore(settings.storeId, found?.storeId, store.address);
      if (wrong !== undefined) throw wrong;
      // P162
      if (known !== undefined && found?.storeId !== known) throw changedStore(store, known, found?.storeId);
      known = (found ?? (await begin(options))).storeId;
    } catch (error) {
      if (!isDenied(error) || settings.storeId !== undefined) throw error;
      // Policies of an earlier version do not have this key. What was published before must go on being published.
      if (!(await isOfEarlierVersion(store, options))) throw error;
      say(`${asFailure(error).message} Until it is allowed, nobody can tell this store from another one.`);
    }
  }

  async function begin(options: CallOptions): Promise<StoreIdentity> {
    const isNew = !(await isOfEarlierVersion(store, options));
    // P11: of two that begin side by side only one may be right. An earlier version has asked before it wrote.
    if (isNew) await requireConditions();
    const at = shell.now();
    const storeId = `store_${randomBase62(16, shell.randomBytes)}` as StoreId;
    const identity = await putIdentity(store, { storeId, createdAt: at.toISOString() }, options);
    if (identity.storeId === storeId) {
      say(begunText(store, storeId, isNew));
      if (isNew) onBegun?.(at);
    }
    return identity;
  }

  function say(text: string): void {
    shell.stderr.write(`partner-programs: ${text}\n`);
  }

  /** All writes wait for one look. Whatever fails is told to each of them, and the next one looks again. */
  function identified(): Promise<void> {
    // An interrupted run still stores its report.
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
    identifyAnew() {
      identifying = undefined;
    },
    async exists() {
      const found = await readStoreIdentity(store).catch((error: unknown) => {
        if (!isDenied(error)) throw error;
      });
      return found !== undefined || (await isOfEarlierVersion(store, {}));
    },
  };
}

/** Whoever was quicker decides, also when the answer to our own write was lost. */
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

/** Before there was `store.json`, a store had tokens or tenants. What these credentials may not see counts as not there. */
async function isOfEarlierVersion(store: ObjectStore, options: CallOptions): Promise<boolean> {
  for (const names of [store.listFolders(tenantsPrefix, options), store.list(tokensKey, options)]) {
    try {
      for await (const _ of names) return true;
    } catch (error) {
      if (!isDenied(error)) throw error;
    }
  }
  return false;
}

function isDenied(error: unknown): boolean {
  return asFailure(error).code === "store_denied";
}

function begunText({ address }: ObjectStore, storeId: StoreId, isNew: boolean): string {
  const keep = `STORE_ID=${storeId} keeps every command and gateway to it.`;
  if (!isNew) return `the store in ${address} now has the identity ${storeId}. ${keep}`;
  return `this begins a new store in ${address}: ${storeId}. If there should have been one, check STORE_URL and whether the volume is mounted. ${keep}`;
}

function changedStore({ address }: ObjectStore, before: StoreId, found: StoreId | undefined): Failure {
  const now = found === undefined ? `has no ${storeKey} any more` : `is the store ${found} now`;
  return new Failure(
    "store_unavailable",
    `${address} was the store ${before} and ${now}, so nothing is written there. Is the volume mounted?`,
  );
}
