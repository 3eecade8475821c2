import { setTimeout as delay } from "node:timers/promises";
import { asFailure, Failure, unlessFailed } from "../../../core/ground/failure.ts";
import type { ObjectKey } from "../../../core/ground/object-key.ts";
import { bytesBody, withinBound } from "../../../core/store/object-body.ts";
import type { ObjectStore, PutCondition, StoredObject } from "../../../core/store/object-store.ts";

/** A document that several processes change. */
export interface SharedDocument<Value> {
  readonly key: ObjectKey;
  /** Throws `corrupt_document`. */
  readonly parse: (found: StoredObject) => Promise<Value>;
  /** What a missing document says. */
  readonly empty: Value;
  readonly bytes: (value: Value) => Buffer;
  /** What its readers accept. Nothing larger is written. */
  readonly maxBytes: number;
  /** Whether a damaged document counts as a missing one, and is replaced as a whole. */
  readonly isReplaceable: boolean;
}

/** Each conflict means that somebody else has written; a few in a row are normal. */
const maxAttempts = 8;
/**
 * The pause after a conflict is random, up to this times the attempt, so that two writers do not collide
 * again.
 */
const maxPauseMs = 100;

/**
 * Replaces the document with what `edit` makes of it, by one compare-and-swap. `edit` runs again after a
 * conflict. When it returns the value that it was given, nothing is written.
 */
export async function editDocument<Value>(
  store: ObjectStore,
  document: SharedDocument<Value>,
  signal: AbortSignal,
  edit: (value: Value) => Value,
): Promise<void> {
  const { key, parse, empty, bytes, maxBytes, isReplaceable } = document;
  const parsed = async (found: StoredObject): Promise<Value> =>
    isReplaceable ? ((await unlessFailed(parse(found), "corrupt_document")) ?? empty) : await parse(found);
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const found = await store.get(key, { signal, wholeUpTo: maxBytes });
    const value = found.kind === "object" ? await parsed(found) : empty;
    const edited = edit(value);
    // There is nothing new, or an earlier unclear attempt was successful.
    if (edited === value) return;
    // P194
    const body = bytesBody(withinBound(bytes(edited), maxBytes, key));
    const condition: PutCondition =
      found.kind === "object" ? { kind: "match", etag: found.etag } : { kind: "absent" };
    try {
      const { kind } = await store.put(key, body, { condition, signal });
      if (kind === "stored") return;
    } catch (error) {
      // The driver repeats unclear answers by itself, so after the second one the store is in trouble.
      if (asFailure(error).code !== "store_unavailable" || attempt > 1) throw error;
    }
    await delay(Math.random() * maxPauseMs * attempt, undefined, { signal });
  }
  throw new Failure("store_unavailable", `${key} changed all the time; try again.`);
}
