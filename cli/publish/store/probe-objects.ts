import { Failure } from "../../../core/failure.ts";
import { bytesBody, readBody } from "../../../core/object-body.ts";
import { isObjectKey, type ObjectKey, tenantsPrefix } from "../../../core/object-key.ts";
import type { ETag, ObjectBody, ObjectStore } from "../../../core/object-store.ts";

/** Objects of one probe, below a random key that nothing else uses. */
export interface ProbeObjects {
  /** What the keys of all of them begin with. */
  readonly prefix: string;
  key(name: string): ObjectKey;
  /** Every key that was asked for so far. */
  keys(): readonly ObjectKey[];
}

/** `random`: at least 16 random bytes, so that probes side by side never meet. */
export function createProbeObjects(random: Uint8Array): ProbeObjects {
  const prefix = `${probesPrefix}${Buffer.from(random).toString("hex")}/`;
  const named = new Set<ObjectKey>();
  return {
    prefix,
    key(name) {
      const key = objectKey(prefix + name);
      named.add(key);
      return key;
    },
    keys: () => [...named],
  };
}

export const probeRandomBytes = 16;

/** A small body that holds `name`. */
export function probeBody(name: string): ObjectBody {
  return bytesBody(Buffer.from(probeText(name)));
}

/** What `readProbe` gives for the body of that name. */
export function probeText(name: string): string {
  return JSON.stringify({ probe: name });
}

/** What the keys of all probes begin with. */
export const probesPrefix = "probe/";

/** The key of an object that never was: like the pointer of a tenant, but `~` cannot begin a tenant's id. */
export const missingKey: ObjectKey = objectKey(`${tenantsPrefix}~/current.json`);

function objectKey(text: string): ObjectKey {
  if (isObjectKey(text)) return text;
  throw new TypeError(`not an object key: ${text}`);
}

/** What is stored under the key, or `undefined` for nothing. */
export async function readProbe(
  store: ObjectStore,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly etag: ETag; readonly modifiedAt: Date } | undefined> {
  const found = await store.get(key, { signal });
  if (found.kind === "missing") return undefined;
  if (found.kind === "not_modified") throw new Failure("store_unsupported", unasked(store, key));
  const bytes = await readBody(found.body, maxProbeBytes, key);
  return { text: bytes.toString(), etag: found.etag, modifiedAt: found.modifiedAt };
}

const maxProbeBytes = 10_000;

function unasked(store: ObjectStore, key: ObjectKey): string {
  return `${store.address}: a plain read of ${key} was answered with 304; look for a caching proxy before the store.`;
}
