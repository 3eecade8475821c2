import { Failure } from "../../../core/failure.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import type { ObjectBody, ObjectStore } from "../../../core/object-store.ts";
import { readEntry } from "../../../core/read-entry.ts";

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
  const { sha256, size } = body;
  const difference = await readEntry(store, { key, sha256, size }, signal, () => {});
  if (difference === undefined) return;
  throw new Failure("store_unavailable", `The key ${key} is taken by other content; run the build again.`);
}
