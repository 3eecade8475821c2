import { createHash } from "node:crypto";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { bytesBody, piecesOf, sha256Hex } from "../../core/object-body.ts";
import type { ContractFixture } from "./object-store-contract.ts";
import { expectFailure, getText, key, putText } from "./object-store-probes.ts";

const bigSize = 20 * 1024 * 1024;

export function describeBodies(fixture: ContractFixture): void {
  describe("gets and bodies", () => {
    async function digestOf(name: string): Promise<string> {
      const found = await fixture.store.get(key(name));
      if (found.kind !== "object") throw new Error("not found");
      const hash = createHash("sha256");
      for await (const chunk of found.body) hash.update(chunk as Buffer);
      return hash.digest("hex");
    }

    test("an object that was never put is missing, and so is the folder of one", async () => {
      const { store } = fixture;
      await putText(store, "missing/folder/a.json", "there");
      expect(await store.get(key("missing/other.json"))).toEqual({ kind: "missing" });
      expect(await store.get(key("missing/folder"))).toEqual({ kind: "missing" });
      expect(await store.get(key("missing/other.json"), { ifNoneMatch: '"x"' })).toEqual({ kind: "missing" });
    });

    test("a get gives the bytes, their number, the put's tag and the time of the put", async () => {
      const { store } = fixture;
      const etag = await putText(store, "bodies/a.json", '{"grüße":1}');
      const found = await store.get(key("bodies/a.json"));
      if (found.kind !== "object") throw new Error("not found");
      found.body.destroy();
      expect(found.etag).toBe(etag);
      expect(found.size).toBe(Buffer.byteLength('{"grüße":1}'));
      expect(Math.abs(found.modifiedAt.getTime() - Date.now())).toBeLessThan(120_000);
      expect(await getText(store, "bodies/a.json")).toBe('{"grüße":1}');
    });

    test("an unconditional put replaces the object and changes its tag", async () => {
      const { store } = fixture;
      const first = await putText(store, "bodies/b.json", "first");
      const second = await putText(store, "bodies/b.json", "second");
      expect(second).not.toBe(first);
      expect(await getText(store, "bodies/b.json")).toBe("second");
    });

    test("a get with the tag of the present version is not_modified, with an older one the object", async () => {
      const { store } = fixture;
      const first = await putText(store, "bodies/c.json", "first");
      expect(await store.get(key("bodies/c.json"), { ifNoneMatch: first })).toEqual({ kind: "not_modified" });
      const second = await putText(store, "bodies/c.json", "second");
      const found = await store.get(key("bodies/c.json"), { ifNoneMatch: first });
      if (found.kind !== "object") throw new Error("not found");
      found.body.destroy();
      expect(found.etag).toBe(second);
    });

    test("an empty body is stored", async () => {
      const { store } = fixture;
      await store.put(key("bodies/empty.json"), bytesBody(Buffer.alloc(0)));
      const found = await store.get(key("bodies/empty.json"));
      if (found.kind !== "object") throw new Error("not found");
      expect(found.size).toBe(0);
      expect(await found.body.toArray()).toEqual([]);
    });

    test.each([1, 65_536, 1_048_577])("%i bytes are the same as a stream and in pieces", async (size) => {
      const { store } = fixture;
      const put = bytes(size);
      const name = key("bodies/pieces.json");
      await store.put(name, bytesBody(put));
      const [streamed, inPieces] = [await store.get(name), await store.get(name)];
      if (streamed.kind !== "object" || inPieces.kind !== "object") throw new Error("not found");
      const pieces: Buffer[] = [];
      for await (const piece of piecesOf(inPieces)) pieces.push(piece);
      for (const read of [await streamed.body.toArray(), pieces])
        expect(Buffer.concat(read).equals(put)).toBe(true);
    });

    test("20 MB come back the same, also when put if absent", async () => {
      const { store } = fixture;
      const body = bytesBody(bytes(bigSize));
      const absent = { condition: { kind: "absent" } } as const;
      for (const [name, options] of [
        ["bodies/big.json", {}],
        ["bodies/big-absent.json", absent],
      ] as const) {
        expect((await store.put(key(name), body, options)).kind).toBe("stored");
        expect(await digestOf(name)).toBe(body.sha256);
      }
    });

    test("bodies destroyed early hold nothing: 300 of them, and the store still answers", async () => {
      const { store } = fixture;
      await store.put(key("bodies/early.json"), bytesBody(bytes(512 * 1024)));
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(
          Array.from({ length: 30 }, async (_, reader) => {
            const found = await store.get(key("bodies/early.json"));
            if (found.kind !== "object") throw new Error("not found");
            if (reader % 2 === 0) await once(found.body, "readable");
            found.body.destroy();
          }),
        );
      }
      expect(await digestOf("bodies/early.json")).toBe(sha256Hex(bytes(512 * 1024)));
    });

    test("a reader that leaves a loop over a body ends it", async () => {
      const found = await fixture.store.get(key("bodies/big.json"));
      if (found.kind !== "object") throw new Error("not found");
      for await (const chunk of found.body) {
        expect((chunk as Buffer).length).toBeGreaterThan(0);
        break;
      }
      expect(found.body.destroyed).toBe(true);
    });

    test("a signal that has fired stops every operation with an interrupted failure, without effect", async () => {
      const { store } = fixture;
      await putText(store, "bodies/signal.json", "before");
      const signal = AbortSignal.abort();
      const name = key("bodies/signal.json");
      await expectFailure("interrupted", () => store.get(name, { signal }));
      await expectFailure("interrupted", () => store.put(name, bytesBody(Buffer.from("after")), { signal }));
      await expectFailure("interrupted", () => store.delete([name], { signal }));
      await expectFailure("interrupted", async () => {
        for await (const _ of store.list("bodies/", { signal })) break;
      });
      await expectFailure("interrupted", async () => {
        for await (const _ of store.listFolders("", { signal })) break;
      });
      expect(await getText(store, "bodies/signal.json")).toBe("before");
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
