import { Failure } from "../../../core/failure.ts";
import { readBody, sha256Hex } from "../../../core/object-body.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import type { ObjectBody, ObjectStore } from "../../../core/object-store.ts";

/**
 * Stores an object that never changes. A refusal means that the key is taken. That is fine if it holds these bytes, since the
 * reply to an earlier attempt may have been lost.
 */
export async function putImmutable(
  store: ObjectStore,
  key: ObjectKey,
  body: ObjectBody,
  signal: AbortSignal,
): Promise<void> {
  const result = await store.put(key, body, { condition: { kind: "absent" }, signal });
  if (result.kind === "stored") return;
  const found = await store.get(key, { signal });
  if (found.kind === "object" && found.size === body.size) {
    const bytes = await readBody(found, body.size, key);
    if (sha256Hex(bytes) === body.sha256) return;
  } else if (found.kind === "object") {
    found.body.destroy();
  }
  throw new Failure("store_unavailable", `The key ${key} is taken by other content; run the build again.`);
}
