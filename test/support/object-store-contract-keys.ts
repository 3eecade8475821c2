import { describe, expect, test } from "vitest";
import { bytesBody } from "../../core/object-body.ts";
import type { ObjectKey } from "../../core/object-key.ts";
import type { ContractFixture } from "./object-store-contract.ts";
import { expectFailure, getText, key, listKeys, putText } from "./object-store-probes.ts";

const oddKeys = [
  "odd/UPPER-and-lower.JSON",
  "odd/a",
  "odd/a-b/c",
  "odd/a.json",
  "odd/dots..inside...",
  "odd/~tilde_under-score",
  "odd/-dash",
  "odd/constructor",
  "odd/__proto__",
  "odd/null",
  "odd/0",
  `odd/${"x".repeat(160)}`,
  `odd/${Array.from({ length: 12 }, () => "deep").join("/")}/end`,
];

const forbiddenKeys = [
  "",
  "..",
  ".",
  "a/../b",
  "../outside",
  "/absolute",
  "a//b",
  "a/",
  ".hidden",
  "a/.hidden",
  "nul\0byte",
  "back\\slash",
  "space here",
  "umlaut-ü",
  "emoji-😀",
  "percent%2e",
  "query?x",
  "new\nline",
  "x".repeat(161),
  Array.from({ length: 200 }, () => "segment").join("/"),
];

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
      const { store } = fixture;
      const forbidden = text as ObjectKey;
      await expectFailure("usage", async () => store.get(forbidden));
      await expectFailure("usage", async () => store.put(forbidden, bytesBody(Buffer.from("x"))));
      await expectFailure("usage", async () =>
        store.put(forbidden, bytesBody(Buffer.from("x")), { condition: { kind: "absent" } }),
      );
      await putText(store, "forbidden/kept.json", "kept");
      await expectFailure("usage", async () => store.delete([key("forbidden/kept.json"), forbidden]));
      expect(await listKeys(store, "forbidden/")).toEqual(["forbidden/kept.json"]);
    });

    test("keys that differ in case only are different objects", async () => {
      const { store } = fixture;
      await putText(store, "case/Key.json", "upper");
      await putText(store, "case/key.json", "lower");
      expect(await getText(store, "case/Key.json")).toBe("upper");
      expect(await listKeys(store, "case/")).toEqual(["case/Key.json", "case/key.json"]);
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
      for (const name of ["near/a.json", "near/a.json.bak", "near/a", "near/b/c.json"]) {
        await putText(store, name, name);
      }
      await store.delete([key("near/a"), key("near/b/c.json")]);
      expect(await listKeys(store, "near/")).toEqual(["near/a.json", "near/a.json.bak"]);
    });
  });
}
