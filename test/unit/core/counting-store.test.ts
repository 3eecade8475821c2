import { describe, expect, test } from "vitest";
import { type ObjectKey, tokensKey } from "../../../core/ground/object-key.ts";
import { countingStore } from "../../../core/store/counting-store.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";

/** A store that lists so many objects and lets them be deleted. */
function listing(objects: number): ObjectStore {
  const store: Pick<ObjectStore, "list" | "delete"> = {
    async *list() {
      for (let at = 0; at < objects; at += 1) yield { key: `k${at}`, size: 1, modifiedAt: new Date(0) };
    },
    delete: async () => {},
  };
  return store as ObjectStore;
}

describe("counting calls to the store", () => {
  test.each([
    [0, 1],
    [1, 1],
    [1000, 1],
    [1001, 2],
    [2000, 2],
    [2001, 3],
  ])("counts the pages of a listing of %d objects: %d", async (objects, pages) => {
    const store = countingStore(listing(objects));
    for await (const _ of store.list(""));
    expect(store.requests().list).toBe(pages);
  });

  test.each([
    [0, 0],
    [1, 1],
    [1000, 1],
    [1001, 2],
  ])("counts the calls that delete %d objects: %d", async (count, calls) => {
    const store = countingStore(listing(0));
    await store.delete(Array.from({ length: count }, (): ObjectKey => tokensKey));
    expect(store.requests().delete).toBe(calls);
  });
});
