import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { Failure } from "../../core/ground/failure.ts";
import { bytesBody } from "../../core/store/object-body.ts";
import type { ObjectStore, PutCondition } from "../../core/store/object-store.ts";
import type { ContractStore } from "./object-store-contract.ts";
import { getText, key, putText, tagOf } from "./object-store-probes.ts";
import {
  type Counter,
  type StoreProcess,
  startStoreProcess,
  type WorkerTask,
} from "./object-store-process.ts";

export function describeConditionalPuts(fixture: ContractStore): void {
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
 * The texts that are said to be stored, of 8 puts at once. A store may leave losers without a clear answer
 * (Ceph's gateway tells some of them 500); any other failure fails the test.
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

const processes = 4;

export function describeProcesses(fixture: ContractStore): void {
  const start = (task: WorkerTask): StoreProcess => startStoreProcess(fixture.opening, task);

  describe("between processes", () => {
    test("of 4 processes' puts-if-absent exactly one is stored", async () => {
      const name = "processes/absent.json";
      const workers = Array.from({ length: processes }, (_, number) =>
        start({ kind: "put_absent", key: key(name), text: `process ${number}` }),
      );
      const outcomes = (await Promise.all(workers.map(({ output }) => output))).map((text) => text.trim());
      expect(outcomes.filter((outcome) => outcome === "stored")).toHaveLength(1);
      expect(await getText(fixture.store, name)).toBe(`process ${outcomes.indexOf("stored")}`);
    });

    test("4 processes that count by put-if-match lose no update", async () => {
      const name = "processes/counter.json";
      const times = 25;
      await putText(fixture.store, name, JSON.stringify({ total: 0, byName: {} } satisfies Counter));
      const workers = Array.from({ length: processes }, (_, number) =>
        start({ kind: "increment", key: key(name), name: `p${number}`, times }),
      );
      await Promise.all(workers.map(({ output }) => output));
      const counter = JSON.parse((await getText(fixture.store, name)) ?? "") as Counter;
      expect(counter.byName).toEqual({ p0: times, p1: times, p2: times, p3: times });
      expect(counter.total).toBe(processes * times);
    });

    test("a reader never sees part of a body while another process replaces it", async () => {
      const name = "processes/replaced.json";
      await putText(fixture.store, name, "z");
      const writer = start({ kind: "replace", key: key(name) });
      let writing = true;
      const written = writer.output.finally(() => (writing = false));
      const sizes = new Set<number>();
      while (writing && sizes.size < 50) {
        const text = (await getText(fixture.store, name)) ?? "";
        // Each body is one letter repeated: a mix of two would show both.
        expect(text).toBe(text.charAt(0).repeat(text.length));
        expect(text).not.toBe("");
        sizes.add(text.length);
      }
      writer.child.stdin?.end();
      await written;
      expect(sizes.size).toBe(50);
    });

    test("what a process has put is there after it was killed", async () => {
      const name = "processes/killed.json";
      const writer = start({ kind: "put_and_wait", key: key(name), text: "put before death" });
      await writer.printed("stored");
      writer.child.kill("SIGKILL");
      await once(writer.child, "close");
      expect(await getText(fixture.store, name)).toBe("put before death");
    });
  });
}
