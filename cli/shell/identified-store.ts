import { asFailure, Failure } from "../../core/ground/failure.ts";
import { randomBase62, type StoreId } from "../../core/ground/ids.ts";
import { type ObjectKey, storeKey, tenantsPrefix } from "../../core/ground/object-key.ts";
import {
  readStoreIdentity,
  type StoreIdentity,
  storeIdentityBytes,
  wrongStore,
} from "../../core/process/open-store.ts";
import { bytesBody } from "../../core/store/object-body.ts";
import type { CallOptions, ObjectStore } from "../../core/store/object-store.ts";
import { requireConditionalWrites } from "./conditional-writes.ts";
import type { CliSettings, Shell } from "./shell.ts";

/** A store for commands that write. */
export interface IdentifiedStore extends ObjectStore {
  /** P11: throws unless the store honours conditional writes, asked once. A `file:` driver always does. */
  requireConditions(): Promise<void>;
  /** P161: the next write checks the identity again: a volume may be unmounted while a watch runs. */
  identifyAnew(): void;
}

/** P160: before the first write it reads or creates the store's identity, and says so. Not for readers. */
export function identifiedStore(
  store: ObjectStore,
  { storeId: wanted, storeUrl }: Pick<CliSettings, "storeId" | "storeUrl">,
  shell: Shell,
): IdentifiedStore {
  let known: StoreId | undefined;
  const conditions = doneOnce(async () => {
    if (storeUrl.kind === "s3") await requireConditionalWrites(store, shell);
  });
  const identity = doneOnce(async () => {
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
    if (found === undefined) await conditions.done();
    known = (found ?? (await begunStore(store, shell, options))).storeId;
  });

  /** P11: which snapshot of a tenant is live is decided by conditional writes alone. */
  async function mayPut(key: ObjectKey): Promise<void> {
    await identity.done();
    if (key.startsWith(tenantsPrefix)) await conditions.done();
  }

  return {
    ...store,
    put: (key, body, options) => mayPut(key).then(() => store.put(key, body, options)),
    copy: (from, to, options) => mayPut(to).then(() => store.copy(from, to, options)),
    delete: (keys, options) => identity.done().then(() => store.delete(keys, options)),
    tidy: (prefix, options) => identity.done().then(() => store.tidy(prefix, options)),
    requireConditions: conditions.done,
    identifyAnew: identity.forget,
  };
}

/** When two processes begin a store at once, the conditional write lets one win (P11). */
async function begunStore(store: ObjectStore, shell: Shell, options: CallOptions): Promise<StoreIdentity> {
  const storeId = `store_${randomBase62(16, shell.randomBytes)}` as StoreId;
  const body = bytesBody(storeIdentityBytes({ storeId, createdAt: shell.now().toISOString() }));
  await store.put(storeKey, body, { ...options, condition: { kind: "absent" } });
  const begun = await readStoreIdentity(store, options);
  if (begun === undefined) {
    throw new Failure("store_unavailable", `${storeKey} was written and is not there; try again.`);
  }
  if (begun.storeId === storeId) {
    shell.stderr.write(
      `partner-programs: this begins a new store in ${store.address}: ${storeId}. If there should have been one, check STORE_URL and ` +
        `whether the volume is mounted. STORE_ID=${storeId} keeps every command and gateway to it.\n`,
    );
  }
  return begun;
}

/** All callers wait for one call of `work`. After a failure the next begins anew, unless it can't succeed. */
function doneOnce(work: () => Promise<void>) {
  let working: Promise<void> | undefined;
  const forget = (): void => {
    working = undefined;
  };
  return {
    forget,
    done() {
      working ??= work().catch((error: unknown) => {
        if (asFailure(error).code !== "store_unsupported") forget();
        throw error;
      });
      return working;
    },
  };
}
