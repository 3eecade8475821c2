import { describe, expect, test } from "vitest";
import { bytesBody } from "../../core/object-body.ts";
import type { ObjectKey } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { ContractFixture } from "./object-store-contract.ts";
import { expectFailure, getText, key, listFolders, listKeys, putText } from "./object-store-probes.ts";

const oddKeys = [
  "odd/UPPER-and-lower.JSON",
  "odd/upper-and-lower.JSON",
  "odd/a",
  "odd/a-b/c",
  "odd/a.json",
  "odd/dots..inside...",
  "odd/~tilde_under-score",
  "odd/-dash",
  "odd/__proto__",
  `odd/${"x".repeat(160)}`,
  `odd/${"deep/".repeat(12)}end`,
];

const forbiddenKeys = [
  "",
  "..",
  "a/../b",
  "../outside",
  "/absolute",
  "a//b",
  "a/",
  "a/.hidden",
  "nul\0byte",
  "back\\slash",
  "space here",
  "umlaut-ü",
  "percent%2e",
  "query?x",
  "x".repeat(161),
];

/** Every operation, on the key and on another that is there. */
function operations(store: ObjectStore, name: ObjectKey, other: ObjectKey, signal?: AbortSignal) {
  const body = bytesBody(Buffer.from("x"));
  return {
    get: async () => store.get(name, { signal }),
    put: async () => store.put(name, body, { signal }),
    put_absent: async () => store.put(name, body, { signal, condition: { kind: "absent" } }),
    copy_from: async () => store.copy(name, other, { signal }),
    copy_to: async () => store.copy(other, name, { signal }),
    delete: async () => store.delete([other, name], { signal }),
  };
}

export function describeKeysAndDeletes(fixture: ContractFixture): void {
  describe("keys and deletes", () => {
    test("every allowed key is stored and listed back exactly, however odd", async () => {
      const { store } = fixture;
      for (const name of oddKeys) await putText(store, name, `body of ${name}`);
      for (const name of oddKeys) expect(await getText(store, name)).toBe(`body of ${name}`);
      expect(await listKeys(store, "odd/")).toEqual([...oddKeys].sort());
      await store.delete(oddKeys.map(key));
      expect(await listKeys(store, "odd/")).toEqual([]);
    });

    test.each(forbiddenKeys)("the key %j is refused as usage, and nothing is touched", async (text) => {
      await putText(fixture.store, "forbidden/kept.json", "kept");
      const tries = operations(fixture.store, text as ObjectKey, key("forbidden/kept.json"));
      for (const attempt of Object.values(tries)) await expectFailure("usage", attempt);
      expect(await getText(fixture.store, "forbidden/kept.json")).toBe("kept");
      expect(await listKeys(fixture.store, "forbidden/")).toEqual(["forbidden/kept.json"]);
    });

    test("a signal that has fired stops every operation with an interrupted failure, without effect", async () => {
      const { store } = fixture;
      await putText(store, "signal/a.json", "before");
      const signal = AbortSignal.abort();
      const tries = operations(store, key("signal/a.json"), key("signal/b.json"), signal);
      for (const attempt of Object.values(tries)) await expectFailure("interrupted", attempt);
      await expectFailure("interrupted", () => listKeys(store, "signal/", undefined, signal));
      await expectFailure("interrupted", () => listFolders(store, "", signal));
      expect(await getText(store, "signal/a.json")).toBe("before");
      expect(await listKeys(store, "signal/")).toEqual(["signal/a.json"]);
    });

    test("delete counts an object that does not exist as deleted, also twice and for none at all", async () => {
      const { store } = fixture;
      await putText(store, "gone/a.json", "there");
      await store.delete([]);
      await store.delete([key("gone/a.json"), key("gone/never.json")]);
      await store.delete([key("gone/a.json")]);
      expect(await getText(store, "gone/a.json")).toBeUndefined();
    });

    test("delete leaves neighbours alone", async () => {
      const { store } = fixture;
      for (const name of ["near/a.json", "near/a.json.bak", "near/a", "near/b/c.json"])
        await putText(store, name, name);
      await store.delete([key("near/a"), key("near/b/c.json")]);
      expect(await listKeys(store, "near/")).toEqual(["near/a.json", "near/a.json.bak"]);
    });
  });
}
