import { Failure } from "../../../core/failure.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/object-store.ts";
import { createProbeObjects, probeBody, probeText, readProbe } from "./probe-objects.ts";

export interface ProbeOptions {
  readonly randomBytes: (size: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * P11: throws `store_unsupported` unless the store honours conditional writes, without which two builders would undo each other
 * unnoticed. Four puts tell whether it looks at the conditions; `store check` finds out whether it decides a race rightly.
 */
export async function requireConditionalWrites(
  store: ObjectStore,
  { randomBytes, signal }: ProbeOptions,
): Promise<void> {
  const objects = createProbeObjects(randomBytes);
  const key = objects.key("conditions.json");

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
    await store.delete(objects.keys(), { signal }).catch(() => {});
  }
}

export const whatToDo =
  "Use a store that honours If-None-Match and If-Match on PutObject, and no proxy that drops these headers (see docs/s3.md).";
