import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { bytesBody, piecesOf } from "../../core/store/object-body.ts";
import type { StoredObject } from "../../core/store/object-store.ts";
import type { ContractStore } from "./object-store-contract.ts";
import { getText, key, listKeys, putText, tagOf } from "./object-store-probes.ts";

export function describeBodies(fixture: ContractStore): void {
  describe("gets and bodies", () => {
    async function found(name: string): Promise<StoredObject> {
      const object = await fixture.store.get(key(name));
      if (object.kind !== "object") throw new Error("not found");
      return object;
    }

    test("an object that was never put is missing, and so is the folder of one", async () => {
      const { store } = fixture;
      await putText(store, "missing/folder/a.json", "there");
      expect(await store.get(key("missing/other.json"))).toEqual({ kind: "missing" });
      expect(await store.get(key("missing/folder"))).toEqual({ kind: "missing" });
      expect(await store.get(key("missing/other.json"), { ifNoneMatch: '"x"' })).toEqual({ kind: "missing" });
    });

    test("a get gives the bytes, their number, the put's tag and the time of the put", async () => {
      const etag = await putText(fixture.store, "bodies/a.json", '{"grüße":1}');
      const object = await found("bodies/a.json");
      object.body.destroy();
      expect(object.etag).toBe(etag);
      expect(object.size).toBe(Buffer.byteLength('{"grüße":1}'));
      expect(Math.abs(object.modifiedAt.getTime() - Date.now())).toBeLessThan(120_000);
      expect(await getText(fixture.store, "bodies/a.json")).toBe('{"grüße":1}');
    });

    test("an unconditional put replaces the object; only a get with the present tag is not_modified", async () => {
      const { store } = fixture;
      const first = await putText(store, "bodies/c.json", "first");
      expect(await store.get(key("bodies/c.json"), { ifNoneMatch: first })).toEqual({ kind: "not_modified" });
      const second = await putText(store, "bodies/c.json", "second");
      expect(second).not.toBe(first);
      const answer = await store.get(key("bodies/c.json"), { ifNoneMatch: first });
      if (answer.kind !== "object") throw new Error("not found");
      expect((await answer.body.toArray()).join("")).toBe("second");
      expect(await tagOf(store, "bodies/c.json")).toBe(second);
    });

    test.each([0, 1, 65_536, 1_048_577])("%i bytes are the same as a stream and in pieces", async (size) => {
      const put = bytes(size);
      await fixture.store.put(key("bodies/pieces.json"), bytesBody(put));
      const [streamed, inPieces] = [await found("bodies/pieces.json"), await found("bodies/pieces.json")];
      const pieces: Buffer[] = [];
      for await (const piece of piecesOf(inPieces)) pieces.push(piece);
      for (const read of [await streamed.body.toArray(), pieces])
        expect(Buffer.concat(read).equals(put)).toBe(true);
    });

    test("20 MB come back the same, also when put if absent", async () => {
      const put = bytes(20 * 1024 * 1024);
      for (const options of [{ condition: { kind: "absent" } } as const, {}]) {
        expect((await fixture.store.put(key("bodies/big.json"), bytesBody(put), options)).kind).toBe(
          "stored",
        );
        const { body } = await found("bodies/big.json");
        expect(Buffer.concat(await body.toArray()).equals(put)).toBe(true);
      }
    });

    test("bodies destroyed early hold nothing: 300 of them, and the store still answers", async () => {
      const put = bytes(512 * 1024);
      await fixture.store.put(key("bodies/early.json"), bytesBody(put));
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(
          Array.from({ length: 30 }, async (_, reader) => {
            const { body } = await found("bodies/early.json");
            if (reader % 2 === 0) await once(body, "readable");
            body.destroy();
          }),
        );
      }
      const { body } = await found("bodies/early.json");
      expect(Buffer.concat(await body.toArray()).equals(put)).toBe(true);
    });

    test("a reader that leaves a loop over a body ends it", async () => {
      const { body } = await found("bodies/big.json");
      for await (const chunk of body) {
        expect((chunk as Buffer).length).toBeGreaterThan(0);
        break;
      }
      expect(body.destroyed).toBe(true);
    });

    test("the address tells which store it is", () => {
      expect(fixture.store.address).toMatch(/^(file:\/|s3:\/\/)/);
    });
  });
}

/** Bytes that differ everywhere, so that a shifted or repeated part shows. */
function bytes(size: number): Buffer {
  const buffer = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) buffer.writeUInt32LE((at * 2654435761) % 2 ** 32, at);
  return buffer;
}

export function describeCopies(fixture: ContractStore): void {
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
