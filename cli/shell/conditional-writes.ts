import { Failure } from "../../core/ground/failure.ts";
import { checkedKey, type ObjectKey } from "../../core/ground/object-key.ts";
import { bytesBody, readBody } from "../../core/store/object-body.ts";
import type { ETag, ObjectBody, ObjectStore, PutCondition } from "../../core/store/object-store.ts";
import type { Shell } from "./shell.ts";

export type ProbeOptions = Pick<Shell, "randomBytes" | "signal">;

/** The beginning of the keys of all probes. */
export const probesPrefix = "probe/";

/** The objects of one probe, below a random key, so that simultaneous probes never use the same ones. */
export class ProbeObjects {
  /** The beginning of all their keys. */
  readonly prefix: string;
  /** All keys that `key` has returned so far. */
  readonly keys = new Set<ObjectKey>();

  constructor({ randomBytes }: ProbeOptions) {
    this.prefix = `${probesPrefix}${Buffer.from(randomBytes(16)).toString("hex")}/`;
  }

  key(name: string): ObjectKey {
    const key = checkedKey(this.prefix + name);
    this.keys.add(key);
    return key;
  }
}

/** A small body that holds `name`. */
export function probeBody(name: string): ObjectBody {
  return bytesBody(Buffer.from(probeText(name)));
}

/** The text that `readProbe` returns for `probeBody(name)`. */
export function probeText(name: string): string {
  return JSON.stringify({ probe: name });
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

/**
 * P11: throws `store_unsupported` unless the store honours conditional writes, without which two builders
 * would undo each other unnoticed. Four puts tell whether it looks at the conditions; `store check` finds out
 * whether it decides a race rightly.
 */
export async function requireConditionalWrites(store: ObjectStore, options: ProbeOptions): Promise<void> {
  const { signal } = options;
  const key = new ProbeObjects(options).key("conditions.json");

  /** The tag of what was stored; `undefined` when the condition was refused. */
  async function put(name: string, condition: PutCondition): Promise<ETag | undefined> {
    const result = await store.put(key, probeBody(name), { condition, signal });
    if (result.kind === "stored") return result.etag;
    // A driver repeats a put whose answer was lost, and may meet its own object.
    const found = await readProbe(store, key, signal);
    return found?.text === probeText(name) ? found.etag : undefined;
  }

  const refuse = (what: string): never => {
    throw new Failure("store_unsupported", `${store.address} cannot hold snapshots: ${what} ${whatToDo}`);
  };
  try {
    const first =
      (await put("first", { kind: "absent" })) ??
      refuse("it refused If-None-Match: * though nothing was there.");
    if ((await put("again", { kind: "absent" })) !== undefined) {
      refuse("it replaced an object in spite of If-None-Match: *.");
    }
    const second = await put("second", { kind: "match", etag: first });
    if (second === undefined) refuse("it refused If-Match with the tag of the present object.");
    if ((await put("late", { kind: "match", etag: first })) !== undefined) {
      refuse("it replaced an object in spite of If-Match with another tag.");
    }
  } finally {
    // A generator's credentials need not include s3:DeleteObject. Without it, a small object stays behind.
    await store.delete([key], { signal }).catch(() => {});
  }
}

export const whatToDo =
  "Use a store that honours If-None-Match and If-Match on PutObject, and no proxy that drops these headers (see docs/s3.md).";
