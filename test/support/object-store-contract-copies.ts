import { describe, expect, test } from "vitest";
import { bytesBody } from "../../core/object-body.ts";
import type { ContractFixture } from "./object-store-contract.ts";
import { getText, key, listKeys, putText, tagOf } from "./object-store-probes.ts";

export function describeCopies(fixture: ContractFixture): void {
  const copy = (from: string, to: string) => fixture.store.copy(key(from), key(to));
  const copied = { kind: "copied" };

  describe("copies", () => {
    test("a copy has the object's bytes under a new name, and neither changes with the other", async () => {
      const { store } = fixture;
      await putText(store, "copy/from.json", "first");
      expect(await copy("copy/from.json", "copy/deep/er/to.json")).toEqual(copied);
      await putText(store, "copy/from.json", "second");
      expect(await getText(store, "copy/deep/er/to.json")).toBe("first");
      await putText(store, "copy/deep/er/to.json", "third");
      expect(await getText(store, "copy/from.json")).toBe("second");
      await store.delete([key("copy/from.json")]);
      expect(await getText(store, "copy/deep/er/to.json")).toBe("third");
    });

    test("a copy replaces what had its name, also by the version of a conditional put", async () => {
      const { store } = fixture;
      const etag = await putText(store, "over/from.json", "1", { kind: "absent" });
      await putText(store, "over/from.json", "2", { kind: "match", etag });
      await putText(store, "over/to.json", "old and longer");
      for (let round = 0; round < 2; round += 1)
        expect(await copy("over/from.json", "over/to.json")).toEqual(copied);
      expect(await getText(store, "over/to.json")).toBe("2");
      expect(await listKeys(store, "over/")).toEqual(["over/from.json", "over/to.json"]);
    });

    test("of an object that is missing nothing is copied, and what had the name stays", async () => {
      await putText(fixture.store, "none/to.json", "kept");
      for (const to of ["none/to.json", "none/new.json"])
        expect(await copy("none/from.json", to)).toEqual({ kind: "missing" });
      expect(await getText(fixture.store, "none/to.json")).toBe("kept");
      expect(await listKeys(fixture.store, "none/")).toEqual(["none/to.json"]);
    });

    test("a copy takes part in conditions: who read what it replaced loses, who reads the copy wins", async () => {
      const { store } = fixture;
      await putText(store, "cas/from.json", "copied");
      const etag = await putText(store, "cas/to.json", "read before");
      await copy("cas/from.json", "cas/to.json");
      const condition = { kind: "match", etag } as const;
      const late = await store.put(key("cas/to.json"), bytesBody(Buffer.from("late")), { condition });
      expect(late.kind).toBe("refused");
      const present = await tagOf(store, "cas/to.json");
      await putText(store, "cas/to.json", "in time", { kind: "match", etag: present });
    });

    test.each([0, 65_536, 65_537, 5_000_000])("%i bytes are copied whole", async (size) => {
      const text = "0123456789abc".repeat(size).slice(0, size);
      await putText(fixture.store, `sizes/${size}.bin`, text);
      expect(await copy(`sizes/${size}.bin`, `sizes/${size}.copy`)).toEqual(copied);
      expect((await getText(fixture.store, `sizes/${size}.copy`)) === text).toBe(true);
    });

    test("names that need encoding anywhere are copied from and to", async () => {
      for (const name of ["encoded/~a.b_-", "encoded/__proto__", "encoded/-.json", "encoded/a..b"]) {
        await putText(fixture.store, name, name);
        expect(await copy(name, `${name}.copy`)).toEqual(copied);
        expect(await getText(fixture.store, `${name}.copy`)).toBe(name);
      }
    });
  });
}
