import { beforeAll, describe, expect, test } from "vitest";
import { bytesBody } from "../../core/object-body.ts";
import type { ContractFixture } from "./object-store-contract.ts";
import { key, listFolders, listKeys, putText } from "./object-store-probes.ts";

/** More than two pages of 1,000, in 1,250 folders of two objects each. */
const many = Array.from({ length: 2500 }, (_, number) => {
  const folder = String(Math.floor(number / 2)).padStart(4, "0");
  return `many/t${folder}/${number % 2 === 0 ? "a" : "b"}.json`;
});

export function describeListing(fixture: ContractFixture): void {
  describe("listing", () => {
    test("keys come in the order of their code units, folders in between", async () => {
      const names = ["a-b", "a.json", "a/b", "a/b-c/d", "a0", "B", "a_"].map((name) => `order/${name}`);
      for (const name of names) await putText(fixture.store, name, name);
      expect(await listKeys(fixture.store, "order/")).toEqual([...names].sort());
    });

    test("a listed object has its key, its size and the time of its put", async () => {
      await putText(fixture.store, "entry/a.json", "12345");
      for await (const object of fixture.store.list("entry/")) {
        expect(object.key).toBe("entry/a.json");
        expect(object.size).toBe(5);
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

    describe("2,500 objects", () => {
      beforeAll(async () => {
        const body = bytesBody(Buffer.from("{}"));
        await Promise.all(many.map((name) => fixture.store.put(key(name), body)));
      });

      test("are listed completely, in order, once each", async () => {
        expect(await listKeys(fixture.store, "many/")).toEqual(many);
      });

      test("are listed from any key on", async () => {
        expect(await listKeys(fixture.store, "many/", many[1233])).toEqual(many.slice(1234));
      });

      test("are listed as 1,250 folders", async () => {
        const folders = await listFolders(fixture.store, "many/");
        expect(folders).toHaveLength(1250);
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
          if (seen.length % 500 !== 0) continue;
          round += 1;
          await putText(store, `many/t${String(round * 211).padStart(4, "0")}/new.json`, "new");
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
