import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { Failure, type FailureCode } from "../../core/failure.ts";
import { bytesBody, readBody } from "../../core/object-body.ts";
import { isObjectKey, type ObjectKey } from "../../core/object-key.ts";
import type { ETag, ObjectStore, PutCondition } from "../../core/object-store.ts";

/** A key that a test writes literally. */
export function key(text: string): ObjectKey {
  if (!isObjectKey(text)) throw new Error(`not an object key: ${text}`);
  return text;
}

/** Puts text that must be stored, and gives its tag. */
export async function putText(
  store: ObjectStore,
  name: string,
  text: string,
  condition?: PutCondition,
): Promise<ETag> {
  const result = await store.put(key(name), bytesBody(Buffer.from(text)), { condition });
  if (result.kind === "refused") throw new Error(`the put of ${name} was refused`);
  return result.etag;
}

/** The object's text, or `undefined` when it is missing. */
export async function getText(store: ObjectStore, name: string): Promise<string | undefined> {
  const found = await store.get(key(name));
  if (found.kind !== "object") return undefined;
  return (await readBody(found, 64 * 1024 * 1024, name)).toString();
}

export async function listKeys(
  store: ObjectStore,
  prefix: string,
  after?: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const keys: string[] = [];
  for await (const object of store.list(prefix, { after, signal })) keys.push(object.key);
  return keys;
}

/** What several puts with the same condition came to. */
export interface RaceResult {
  readonly stored: number;
  /** Refused, or failed without a clear answer. */
  readonly lost: number;
  readonly winner: string | undefined;
}

/**
 * Makes `count` puts at once, each with a text of its own. A store may leave losers without a clear answer (Ceph's
 * gateway tells some of them 500); any other failure fails the test.
 */
export async function race(
  store: ObjectStore,
  name: string,
  count: number,
  condition: PutCondition,
): Promise<RaceResult> {
  const outcomes = await Promise.all(
    Array.from({ length: count }, async (_, contender) => {
      // Of no content twice: where a tag is a digest, the same contender's next win would not change it.
      const text = `contender ${contender} ${randomUUID()}`;
      try {
        const result = await store.put(key(name), bytesBody(Buffer.from(text)), { condition });
        return result.kind === "stored" ? text : undefined;
      } catch (error) {
        if (error instanceof Failure && error.code === "store_unavailable") return undefined;
        throw error;
      }
    }),
  );
  const winners = outcomes.filter((text) => text !== undefined);
  return { stored: winners.length, lost: count - winners.length, winner: winners[0] };
}

/** Expects a rejection with a `Failure` of the code. */
export async function expectFailure(code: FailureCode, action: () => Promise<unknown>): Promise<Failure> {
  const thrown: unknown = await action().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(Failure);
  if (!(thrown instanceof Failure)) throw thrown;
  expect(thrown.code, thrown.message).toBe(code);
  return thrown;
}
