import { describe, expect, test } from "vitest";
import { bytesBody } from "../../core/object-body.ts";
import type { ObjectKey } from "../../core/object-key.ts";
import type { ContractFixture } from "./object-store-contract.ts";
import { expectFailure, getText, key, listKeys, putText } from "./object-store-probes.ts";

const copied = { kind: "copied" };

export function describeCopies(fixture: ContractFixture): void {
  describe("copies", () => {
    test("a copy has the object's bytes under a new name, and neither changes with the other", async () => {
      const { store } = fixture;
      await putText(store, "copy/from.json", "first");
      expect(await store.copy(key("copy/from.json"), key("copy/deep/er/to.json"))).toEqual(copied);
      expect(await getText(store, "copy/deep/er/to.json")).toBe("first");
      await putText(store, "copy/from.json", "second");
      expect(await getText(store, "copy/deep/er/to.json")).toBe("first");
      await putText(store, "copy/deep/er/to.json", "third");
      expect(await getText(store, "copy/from.json")).toBe("second");
      await store.delete([key("copy/from.json")]);
      expect(await getText(store, "copy/deep/er/to.json")).toBe("third");
    });

    test("a copy replaces what had its name", async () => {
      const { store } = fixture;
      await putText(store, "over/from.json", "new");
      await putText(store, "over/to.json", "old and longer");
      expect(await store.copy(key("over/from.json"), key("over/to.json"))).toEqual(copied);
      expect(await store.copy(key("over/from.json"), key("over/to.json"))).toEqual(copied);
      expect(await getText(store, "over/to.json")).toBe("new");
      expect(await listKeys(store, "over/")).toEqual(["over/from.json", "over/to.json"]);
    });

    test("of an object that is missing nothing is copied, and what had the name stays", async () => {
      const { store } = fixture;
      await putText(store, "none/to.json", "kept");
      expect(await store.copy(key("none/from.json"), key("none/to.json"))).toEqual({ kind: "missing" });
      expect(await store.copy(key("none/from.json"), key("none/new.json"))).toEqual({ kind: "missing" });
      expect(await getText(store, "none/to.json")).toBe("kept");
      expect(await listKeys(store, "none/")).toEqual(["none/to.json"]);
    });

    test("the version that a conditional put made is the one that is copied", async () => {
      const { store } = fixture;
      const etag = await putText(store, "swap/from.json", "1", { kind: "absent" });
      await putText(store, "swap/from.json", "2", { kind: "match", etag });
      expect(await store.copy(key("swap/from.json"), key("swap/to.json"))).toEqual(copied);
      expect(await getText(store, "swap/to.json")).toBe("2");
    });

    test("a copy takes part in conditions: who read what it replaced loses, who reads the copy wins", async () => {
      const { store } = fixture;
      await putText(store, "cas/from.json", "copied");
      const etag = await putText(store, "cas/to.json", "read before");
      await store.copy(key("cas/from.json"), key("cas/to.json"));
      const body = bytesBody(Buffer.from("too late"));
      expect((await store.put(key("cas/to.json"), body, { condition: { kind: "match", etag } })).kind).toBe(
        "refused",
      );
      const found = await store.get(key("cas/to.json"));
      if (found.kind !== "object") throw new Error("the copy is missing");
      found.body.destroy();
      await putText(store, "cas/to.json", "in time", { kind: "match", etag: found.etag });
      expect(await getText(store, "cas/to.json")).toBe("in time");
    });

    test.each([0, 65_536, 65_537, 5_000_000])("%i bytes are copied whole", async (size) => {
      const { store } = fixture;
      const bytes = Buffer.from(Array.from({ length: Math.min(size, 997) }, (_, at) => at % 251));
      const text = Buffer.alloc(size, bytes.length === 0 ? undefined : bytes);
      await store.put(key(`sizes/${size}.bin`), bytesBody(text));
      expect(await store.copy(key(`sizes/${size}.bin`), key(`sizes/${size}.copy`))).toEqual(copied);
      const found = await store.get(key(`sizes/${size}.copy`));
      if (found.kind !== "object") throw new Error("the copy is missing");
      const pieces: Buffer[] = [];
      for await (const piece of found.body as AsyncIterable<Buffer>) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(text)).toBe(true);
    });

    test("names that need encoding anywhere are copied from and to", async () => {
      const { store } = fixture;
      for (const name of ["encoded/~a.b_-", "encoded/__proto__", "encoded/-.json", "encoded/a..b"]) {
        await putText(store, name, name);
        expect(await store.copy(key(name), key(`${name}.copy`))).toEqual(copied);
        expect(await getText(store, `${name}.copy`)).toBe(name);
      }
    });

    test("a forbidden key on either side is refused as usage, and nothing is touched", async () => {
      const { store } = fixture;
      await putText(store, "usage/a.json", "kept");
      const outside = "usage/../b" as ObjectKey;
      await expectFailure("usage", async () => store.copy(outside, key("usage/a.json")));
      await expectFailure("usage", async () => store.copy(key("usage/a.json"), outside));
      expect(await listKeys(store, "usage/")).toEqual(["usage/a.json"]);
      expect(await getText(store, "usage/a.json")).toBe("kept");
    });

    test("an aborted signal ends a copy before it begins", async () => {
      const { store } = fixture;
      await putText(store, "aborted/a.json", "kept");
      const copy = async () =>
        store.copy(key("aborted/a.json"), key("aborted/b.json"), { signal: AbortSignal.abort() });
      await expectFailure("interrupted", copy);
      expect(await listKeys(store, "aborted/")).toEqual(["aborted/a.json"]);
    });
  });
}
