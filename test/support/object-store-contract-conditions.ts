import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Failure } from "../../core/failure.ts";
import { bytesBody } from "../../core/object-body.ts";
import type { ObjectStore, PutCondition } from "../../core/object-store.ts";
import type { ContractFixture } from "./object-store-contract.ts";
import { getText, key, putText, tagOf } from "./object-store-probes.ts";

export function describeConditionalPuts(fixture: ContractFixture): void {
  describe("conditional puts", () => {
    test("put-if-absent stores where there is no object, also after it was deleted", async () => {
      const { store } = fixture;
      await putText(store, "absent/a.json", "first", { kind: "absent" });
      expect(await isRefused(store, "absent/a.json", { kind: "absent" })).toBe(true);
      expect(await getText(store, "absent/a.json")).toBe("first");
      await store.delete([key("absent/a.json")]);
      await putText(store, "absent/a.json", "second", { kind: "absent" });
      expect(await getText(store, "absent/a.json")).toBe("second");
    });

    test("of 8 puts-if-absent at once exactly one is stored, and its body is what is there", async () => {
      for (let round = 0; round < 5; round += 1) {
        const name = `absent/race-${round}.json`;
        const winners = await race(fixture.store, name, { kind: "absent" });
        expect(winners).toEqual([await getText(fixture.store, name)]);
      }
    });

    test("put-if-match replaces the version that has the tag, be it a put's or a get's, and no other", async () => {
      const { store } = fixture;
      const first = await putText(store, "match/a.json", "first");
      const second = await putText(store, "match/a.json", "second", { kind: "match", etag: first });
      expect(second).not.toBe(first);
      expect(await isRefused(store, "match/a.json", { kind: "match", etag: first })).toBe(true);
      expect(await getText(store, "match/a.json")).toBe("second");
      const etag = await tagOf(store, "match/a.json");
      await putText(store, "match/a.json", "third", { kind: "match", etag });
      expect(await getText(store, "match/a.json")).toBe("third");
    });

    test("put-if-match is refused where there is no object", async () => {
      const { store } = fixture;
      const etag = await putText(store, "match/d.json", "first");
      await store.delete([key("match/d.json")]);
      expect(await isRefused(store, "match/d.json", { kind: "match", etag })).toBe(true);
      expect(await getText(store, "match/d.json")).toBeUndefined();
    });

    test("of 8 puts-if-match at once at most one is stored, and the next race goes on from its tag", async () => {
      const { store } = fixture;
      let etag = await putText(store, "match/race.json", "before");
      let decided = 0;
      for (let round = 0; round < 5; round += 1) {
        const winners = await race(store, "match/race.json", { kind: "match", etag });
        const text = await getText(store, "match/race.json");
        expect(winners.length).toBeLessThanOrEqual(1);
        if (winners.length === 1) expect(text).toBe(winners[0]);
        else expect(text).toMatch(/^(before|contender \d .*)$/);
        decided += winners.length;
        etag = await tagOf(store, "match/race.json");
      }
      expect(decided).toBeGreaterThan(0);
    });

    test("content that went from A to B and back to A: B's tag is refused, the present one stores", async () => {
      const { store } = fixture;
      const a = await putText(store, "match/aba.json", "A");
      const b = await putText(store, "match/aba.json", "B", { kind: "match", etag: a });
      const again = await putText(store, "match/aba.json", "A", { kind: "match", etag: b });
      expect(await isRefused(store, "match/aba.json", { kind: "match", etag: b })).toBe(true);
      await putText(store, "match/aba.json", "D", { kind: "match", etag: again });
      expect(await getText(store, "match/aba.json")).toBe("D");
    });
  });
}

async function isRefused(store: ObjectStore, name: string, condition: PutCondition): Promise<boolean> {
  return (await store.put(key(name), bytesBody(Buffer.from("late")), { condition })).kind === "refused";
}

/**
 * The texts that are said to be stored, of 8 puts at once. A store may leave losers without a clear answer (Ceph's
 * gateway tells some of them 500); any other failure fails the test.
 */
async function race(store: ObjectStore, name: string, condition: PutCondition): Promise<readonly string[]> {
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async (_, contender) => {
      // Of no content twice: where a tag is a digest, the same contender's next win would not change it.
      const text = `contender ${contender} ${randomUUID()}`;
      try {
        const result = await store.put(key(name), bytesBody(Buffer.from(text)), { condition });
        return result.kind === "stored" ? [text] : [];
      } catch (error) {
        if (error instanceof Failure && error.code === "store_unavailable") return [];
        throw error;
      }
    }),
  );
  return outcomes.flat();
}
