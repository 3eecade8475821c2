import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { PutQueue } from "../../../cli/publish/tenant/response-writer.ts";

interface Write {
  readonly write: () => Promise<void>;
  readonly end: () => void;
  readonly fail: (reason: Error) => void;
}

/** Writes whose ends the test decides; `begun` has their names in the order of their beginnings. */
function controlled(): { readonly begun: string[]; readonly named: (name: string) => Write } {
  const begun: string[] = [];
  const named = (name: string): Write => {
    const { promise, resolve, reject } = withResolvers();
    const write = (): Promise<void> => {
      begun.push(name);
      return promise;
    };
    return { write, end: resolve, fail: reject };
  };
  return { begun, named };
}

function withResolvers(): {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
} {
  let resolve = (): void => {};
  let reject = (_reason: Error): void => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

test("no more writes run at a time than allowed, however many wait", async () => {
  const { begun, named } = controlled();
  const queue = new PutQueue(2, 1000);
  const [a, b, c, d] = [named("a"), named("b"), named("c"), named("d")];
  const added = [a, b, c, d].map(({ write }) => queue.add(1, write));
  await turn();
  expect(begun).toEqual(["a", "b"]);
  b.end();
  await added[2];
  await turn();
  expect(begun).toEqual(["a", "b", "c"]);
  a.end();
  await added[3];
  expect(begun).toEqual(["a", "b", "c", "d"]);
  c.end();
  d.end();
  await queue.settled();
});

test("no more bytes run at a time than allowed; a larger write runs alone", async () => {
  const { begun, named } = controlled();
  const queue = new PutQueue(10, 100);
  const [a, large, b] = [named("a"), named("large"), named("b")];
  await queue.add(60, a.write);
  const addedLarge = queue.add(500, large.write);
  await turn();
  expect(begun).toEqual(["a"]);
  a.end();
  await addedLarge;
  const addedB = queue.add(1, b.write);
  await turn();
  expect(begun).toEqual(["a", "large"]);
  large.end();
  await addedB;
  b.end();
  await queue.settled();
  expect(begun).toEqual(["a", "large", "b"]);
});

test("after a failure nothing more begins, and the end says what failed first", async () => {
  const { begun, named } = controlled();
  const queue = new PutQueue(1, 100);
  const [a, b] = [named("a"), named("b")];
  await queue.add(1, a.write);
  const waiting = expect(queue.add(1, b.write)).rejects.toThrow("full disk");
  a.fail(new Error("full disk"));
  await waiting;
  expect(begun).toEqual(["a"]);
  await expect(queue.settled()).rejects.toThrow("full disk");
});
