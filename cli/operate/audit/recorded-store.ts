import {
  type ObjectKey,
  removedKey,
  sandboxKey,
  tenantsPrefix,
  tokensKey,
} from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";

/**
 * P85: the store, on which `begun` is awaited before each call that changes something for partners: a put of a pointer, of
 * the registry or of the removed tenants, and any deletion of a tenant's objects. When it throws, the call is not made.
 * What nobody sees until then (files, manifests, marks, probes) passes.
 */
export function recordedStore(store: ObjectStore, begun: () => Promise<void>): ObjectStore {
  return {
    address: store.address,
    get: (key, options) => store.get(key, options),
    async put(key, body, options) {
      if (isDecisive(key)) await begun();
      return await store.put(key, body, options);
    },
    copy: (from, to, options) => store.copy(from, to, options),
    list: (prefix, options) => store.list(prefix, options),
    listFolders: (prefix, options) => store.listFolders(prefix, options),
    async delete(keys, options) {
      if (keys.some((key) => isDecisive(key) || isOfSnapshot(key))) await begun();
      await store.delete(keys, options);
    },
    tidy: (prefix, options) => store.tidy(prefix, options),
    close: () => store.close(),
  };
}

const pointer = /^tenants\/[^/]+\/current\.json$/;

function isDecisive(key: ObjectKey): boolean {
  return key === tokensKey || key === removedKey || key === sandboxKey || pointer.test(key);
}

/** A `live/` folder is a copy for people, and comes and goes with every publication. */
function isOfSnapshot(key: ObjectKey): boolean {
  return key.startsWith(tenantsPrefix) && !/^[^/]+\/[^/]+\/live\//.test(key);
}
