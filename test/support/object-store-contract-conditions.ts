import { describe, expect, test } from "vitest";
import { bytesBody } from "../../core/object-body.ts";
import type { ContractFixture } from "./object-store-contract.ts";
import { getText, key, putText, race } from "./object-store-probes.ts";

const contenders = 8;
const rounds = 5;

export function describeConditionalPuts(fixture: ContractFixture): void {
  const body = (text: string) => bytesBody(Buffer.from(text));

  describe("conditional puts", () => {
    test("put-if-absent stores where there is no object and is refused where there is one", async () => {
      const { store } = fixture;
      await putText(store, "absent/a.json", "first", { kind: "absent" });
      const again = await store.put(key("absent/a.json"), body("second"), { condition: { kind: "absent" } });
      expect(again).toEqual({ kind: "refused" });
      expect(await getText(store, "absent/a.json")).toBe("first");
    });

    test("put-if-absent stores again after the object was deleted", async () => {
      const { store } = fixture;
      await putText(store, "absent/b.json", "first", { kind: "absent" });
      await store.delete([key("absent/b.json")]);
      await putText(store, "absent/b.json", "second", { kind: "absent" });
      expect(await getText(store, "absent/b.json")).toBe("second");
    });

    test("of 8 puts-if-absent at once exactly one is stored, and its body is what is there", async () => {
      const { store } = fixture;
      for (let round = 0; round < rounds; round += 1) {
        const name = `absent/race-${round}.json`;
        const { stored, winner } = await race(store, name, contenders, { kind: "absent" });
        expect(stored).toBe(1);
        expect(await getText(store, name)).toBe(winner);
      }
    });

    test("put-if-match replaces the version that has the tag", async () => {
      const { store } = fixture;
      const first = await putText(store, "match/a.json", "first");
      const second = await putText(store, "match/a.json", "second", { kind: "match", etag: first });
      expect(second).not.toBe(first);
      expect(await getText(store, "match/a.json")).toBe("second");
    });

    test("put-if-match takes the tag that a get gave", async () => {
      const { store } = fixture;
      await putText(store, "match/b.json", "first");
      const found = await store.get(key("match/b.json"));
      if (found.kind !== "object") throw new Error("not found");
      found.body.destroy();
      await putText(store, "match/b.json", "second", { kind: "match", etag: found.etag });
      expect(await getText(store, "match/b.json")).toBe("second");
    });

    test("put-if-match is refused for a version that was replaced", async () => {
      const { store } = fixture;
      const first = await putText(store, "match/c.json", "first");
      await putText(store, "match/c.json", "second");
      const late = await store.put(key("match/c.json"), body("late"), {
        condition: { kind: "match", etag: first },
      });
      expect(late).toEqual({ kind: "refused" });
      expect(await getText(store, "match/c.json")).toBe("second");
    });

    test("put-if-match is refused where there is no object", async () => {
      const { store } = fixture;
      const etag = await putText(store, "match/d.json", "first");
      await store.delete([key("match/d.json")]);
      const late = await store.put(key("match/d.json"), body("late"), { condition: { kind: "match", etag } });
      expect(late).toEqual({ kind: "refused" });
      expect(await getText(store, "match/d.json")).toBeUndefined();
    });

    test("of 8 puts-if-match at once at most one is stored, and the body there is one contender's", async () => {
      const { store } = fixture;
      let decided = 0;
      for (let round = 0; round < rounds; round += 1) {
        const name = `match/race-${round}.json`;
        const etag = await putText(store, name, "before");
        const { stored, winner } = await race(store, name, contenders, { kind: "match", etag });
        const text = await getText(store, name);
        expect(stored).toBeLessThanOrEqual(1);
        if (stored === 1) expect(text).toBe(winner);
        else expect(text).toMatch(/^(before|contender \d)$/);
        decided += stored;
      }
      expect(decided).toBeGreaterThan(0);
    });

    test("a race goes on from the winner's tag: a chain of races stores one body each", async () => {
      const { store } = fixture;
      let etag = await putText(store, "match/chain.json", "before");
      for (let round = 0; round < rounds; round += 1) {
        await race(store, "match/chain.json", 3, { kind: "match", etag });
        const found = await store.get(key("match/chain.json"));
        if (found.kind !== "object") throw new Error("not found");
        found.body.destroy();
        expect(found.etag).not.toBe(etag);
        etag = found.etag;
      }
    });

    test("content that went from A to B and back to A: B's tag is refused, the present one stores", async () => {
      const { store } = fixture;
      const a = await putText(store, "match/aba.json", "A");
      const b = await putText(store, "match/aba.json", "B", { kind: "match", etag: a });
      const again = await putText(store, "match/aba.json", "A", { kind: "match", etag: b });
      const stale = await store.put(key("match/aba.json"), body("C"), {
        condition: { kind: "match", etag: b },
      });
      expect(stale).toEqual({ kind: "refused" });
      await putText(store, "match/aba.json", "D", { kind: "match", etag: again });
      expect(await getText(store, "match/aba.json")).toBe("D");
    });
  });
}
