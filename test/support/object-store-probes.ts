import { expect } from "vitest";
import { Failure, type FailureCode } from "../../core/ground/failure.ts";
import { isObjectKey, type ObjectKey } from "../../core/ground/object-key.ts";
import { bytesBody, readBody } from "../../core/store/object-body.ts";
import type { ETag, ObjectStore, PutCondition } from "../../core/store/object-store.ts";

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

export async function listFolders(
  store: ObjectStore,
  prefix: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const folders: string[] = [];
  for await (const folder of store.listFolders(prefix, { signal })) folders.push(folder);
  return folders;
}

/** The present version's tag. */
export async function tagOf(store: ObjectStore, name: string): Promise<ETag> {
  const found = await store.get(key(name));
  if (found.kind !== "object") throw new Error(`${name} is ${found.kind}`);
  found.body.destroy();
  return found.etag;
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
