import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { ContractFixture } from "./object-store-contract.ts";
import { getText, key, putText } from "./object-store-probes.ts";
import type { Counter, WorkerTask } from "./object-store-worker.ts";
import { startTypescript, type TypescriptProcess } from "./typescript-process.ts";

const processes = 4;

export function describeProcesses(fixture: ContractFixture): void {
  const start = (task: WorkerTask): TypescriptProcess =>
    startTypescript("./object-store-worker.ts", [JSON.stringify({ opening: fixture.opening, task })]);

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
      const written = writer.output.finally(() => {
        writing = false;
      });
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
