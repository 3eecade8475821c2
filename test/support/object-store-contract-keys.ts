import { beforeAll, describe, expect, test } from "vitest";
import type { ObjectKey } from "../../core/ground/object-key.ts";
import { bytesBody } from "../../core/store/object-body.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import type { ContractStore } from "./object-store-contract.ts";
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

export function describeKeysAndDeletes(fixture: ContractStore): void {
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

/** `count`: more than two pages of a listing, in folders of two objects each. */
export function describeListing(fixture: ContractStore, count: number): void {
  const many = Array.from({ length: count }, (_, number) => {
    const folder = String(Math.floor(number / 2)).padStart(4, "0");
    return `many/t${folder}/${number % 2 === 0 ? "a" : "b"}.json`;
  });

  describe("listing", () => {
    test("keys come in the order of their code units, folders in between", async () => {
      const names = ["a-b", "a.json", "a/b", "a/b-c/d", "a0", "B", "a_"].map((name) => `order/${name}`);
      for (const name of names) await putText(fixture.store, name, name);
      expect(await listKeys(fixture.store, "order/")).toEqual([...names].sort());
    });

    test("a listed object has its key, its size and the time of its put", async () => {
      await putText(fixture.store, "entry/a.json", "12345");
      for await (const object of fixture.store.list("entry/")) {
        expect([object.key, object.size]).toEqual(["entry/a.json", 5]);
        expect(Math.abs(object.modifiedAt.getTime() - Date.now())).toBeLessThan(120_000);
      }
    });

    test("a prefix may end anywhere in a key, and one that nothing begins with lists nothing", async () => {
      const { store } = fixture;
      for (const name of ["pre/tenant-1/a", "pre/tenant-10/a", "pre/tenant-2/a"])
        await putText(store, name, name);
      expect(await listKeys(store, "pre/tenant-1")).toEqual(["pre/tenant-1/a", "pre/tenant-10/a"]);
      expect(await listKeys(store, "pre/tenant-1/")).toEqual(["pre/tenant-1/a"]);
      expect(await listKeys(store, "pre/tenant-2/a")).toEqual(["pre/tenant-2/a"]);
      expect(await listKeys(store, "pre/tenant-3")).toEqual([]);
      expect(await listKeys(store, "pre/tenant-2/a/")).toEqual([]);
    });

    test("`after` begins behind a key, whether or not it exists or shares the prefix", async () => {
      const { store } = fixture;
      for (const name of ["after/a", "after/b/c", "after/d"]) await putText(store, name, name);
      expect(await listKeys(store, "after/", "after/a")).toEqual(["after/b/c", "after/d"]);
      expect(await listKeys(store, "after/", "after/b")).toEqual(["after/b/c", "after/d"]);
      expect(await listKeys(store, "after/", "after/b/zzz")).toEqual(["after/d"]);
      expect(await listKeys(store, "after/", "after/d")).toEqual([]);
      expect(await listKeys(store, "after/", "aaa")).toEqual(["after/a", "after/b/c", "after/d"]);
      expect(await listKeys(store, "after/", "zzz")).toEqual([]);
    });

    test("folders are those right below the prefix that hold something at any depth", async () => {
      const { store } = fixture;
      for (const name of ["a/x", "a-b/c/d/e", "plain.json", "a/y", "z/current.json"])
        await putText(store, `tree/${name}`, name);
      expect(await listFolders(store, "tree/")).toEqual(["a-b", "a", "z"]);
      expect(await listFolders(store, "tree/a-b/")).toEqual(["c"]);
      expect(await listFolders(store, "tree/z/")).toEqual([]);
      expect(await listFolders(store, "tree/none/")).toEqual([]);
      expect(await listFolders(store, "")).toContain("tree");
    });

    test("a folder vanishes with its last object", async () => {
      const { store } = fixture;
      await putText(store, "emptied/a/b/c.json", "c");
      await store.delete([key("emptied/a/b/c.json")]);
      expect(await listFolders(store, "emptied/")).toEqual([]);
    });

    describe(`${count} objects`, () => {
      beforeAll(async () => {
        const body = bytesBody(Buffer.from("{}"));
        await Promise.all(many.map((name) => fixture.store.put(key(name), body)));
      });

      test("are listed completely, in order, once each", async () => {
        expect(await listKeys(fixture.store, "many/")).toEqual(many);
      });

      test("are listed from any key on", async () => {
        const at = count / 2 - 17;
        expect(await listKeys(fixture.store, "many/", many[at])).toEqual(many.slice(at + 1));
      });

      test("are listed as half as many folders", async () => {
        const folders = await listFolders(fixture.store, "many/");
        expect(folders).toHaveLength(count / 2);
        expect(folders).toEqual([...folders].sort());
      });

      test("may be listed in part: who leaves the loop asks for no further page", async () => {
        const seen: string[] = [];
        for await (const object of fixture.store.list("many/")) {
          seen.push(object.key);
          if (seen.length === 3) break;
        }
        expect(seen).toEqual(many.slice(0, 3));
      });

      test("objects that stay are all seen while others come and go", async () => {
        const { store } = fixture;
        const seen: string[] = [];
        let round = 0;
        for await (const object of store.list("many/")) {
          seen.push(object.key);
          if (seen.length % (count / 5) !== 0) continue;
          round += 1;
          await putText(
            store,
            `many/t${String(round * Math.floor(count / 12)).padStart(4, "0")}/new.json`,
            "new",
          );
        }
        expect(seen.filter((name) => !name.endsWith("new.json"))).toEqual(many);
        await store.delete(
          (await listKeys(store, "many/")).filter((name) => name.endsWith("new.json")).map(key),
        );
      });

      test("are deleted by one call", async () => {
        await fixture.store.delete(many.map(key));
        expect(await listKeys(fixture.store, "many/")).toEqual([]);
      });
    });
  });
}
