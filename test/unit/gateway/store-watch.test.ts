import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { parseTenantId, type StoreId } from "../../../core/ground/ids.ts";
import { currentKey, tokensKey } from "../../../core/ground/object-key.ts";
import { storeIdentityBytes } from "../../../core/process/open-store.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { StoredObject } from "../../../core/store/object-store.ts";
import { StoreWatch } from "../../../gateway/known/store-watch.ts";

const own = "store_0000000000000000" as StoreId;
const other = "store_1111111111111111" as StoreId;

test("W161 of two looks at the store that overlap, the one that began last counts, whichever ends last", async () => {
  for (const isFirstWrong of [true, false]) {
    const answers: ((found: StoredObject) => void)[] = [];
    const watch = new StoreWatch({
      store: { get: () => new Promise((resolve) => answers.push(resolve)) },
      address: "test",
      wanted: own,
      clock: () => 0,
    });
    const guarded = watch.guard({
      get: async (key) => (key === tokensKey ? registry() : { kind: "not_modified" }),
    });
    const [first, second] = [guarded.get(tokensKey), guarded.get(tokensKey)];
    await new Promise(setImmediate);
    answers[1]?.(identity(isFirstWrong ? own : other));
    const [wrong, right] = isFirstWrong ? [first, second] : [second, first];
    answers[0]?.(identity(isFirstWrong ? other : own));
    await expect(wrong).rejects.toThrow("STORE_ID");
    await right;
    const asked = guarded.get(currentKey(parseTenantId("acme")));
    if (isFirstWrong) expect(await asked).toEqual({ kind: "not_modified" });
    else await expect(asked).rejects.toThrow("STORE_ID");
    expect(watch.otherStoreId()).toBe(isFirstWrong ? undefined : other);
  }
});

const registry = (): StoredObject => object(Buffer.from("{}"));

function identity(storeId: StoreId): StoredObject {
  return object(storeIdentityBytes({ storeId, createdAt: "2026-01-01T00:00:00Z" }));
}

function object(content: Buffer): StoredObject {
  const { bytes, size } = bytesBody(content);
  const body = Readable.from([bytes]);
  return { kind: "object", etag: "e", size, modifiedAt: new Date(0), body };
}
