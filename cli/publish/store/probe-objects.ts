import { Failure } from "../../../core/failure.ts";
import { bytesBody, readBody } from "../../../core/object-body.ts";
import { isObjectKey, type ObjectKey, tenantsPrefix } from "../../../core/object-key.ts";
import type { ETag, ObjectBody, ObjectStore } from "../../../core/object-store.ts";

/** The objects of one probe, below a random key, so that simultaneous probes never use the same ones. */
export interface ProbeObjects {
  /** The beginning of all their keys. */
  readonly prefix: string;
  key(name: string): ObjectKey;
  /** All keys that `key` has returned so far. */
  keys(): readonly ObjectKey[];
}

export function createProbeObjects(randomBytes: (size: number) => Uint8Array): ProbeObjects {
  const prefix = `${probesPrefix}${Buffer.from(randomBytes(16)).toString("hex")}/`;
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

/** A small body that holds `name`. */
export function probeBody(name: string): ObjectBody {
  return bytesBody(Buffer.from(probeText(name)));
}

/** The text that `readProbe` returns for `probeBody(name)`. */
export function probeText(name: string): string {
  return JSON.stringify({ probe: name });
}

/** The beginning of the keys of all probes. */
export const probesPrefix = "probe/";

/** The key of an object that cannot exist: a tenant's pointer, but no tenant's id begins with `~`. */
export const missingKey: ObjectKey = objectKey(`${tenantsPrefix}~/current.json`);

function objectKey(text: string): ObjectKey {
  if (isObjectKey(text)) return text;
  throw new TypeError(`not an object key: ${text}`);
}

/** The object under the key, or `undefined` when there is none. */
export async function readProbe(
  store: ObjectStore,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly etag: ETag; readonly modifiedAt: Date } | undefined> {
  const found = await store.get(key, { signal });
  if (found.kind === "missing") return undefined;
  if (found.kind === "not_modified") {
    const what = `${store.address}: a plain read of ${key} was answered with 304`;
    throw new Failure("store_unsupported", `${what}; look for a caching proxy before the store.`);
  }
  const bytes = await readBody(found, 10_000, key);
  return { text: bytes.toString(), etag: found.etag, modifiedAt: found.modifiedAt };
}
