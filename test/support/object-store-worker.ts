import { Failure } from "../../core/failure.ts";
import { bytesBody, readBody } from "../../core/object-body.ts";
import type { ObjectKey } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { openTestStore, type StoreOpening } from "./store-opening.ts";

/** What a process of the contract suite does to a store: given as JSON in its only argument. */
export type WorkerTask =
  /** Puts the object if it is absent; prints `stored` or `refused`. */
  | { readonly kind: "put_absent"; readonly key: ObjectKey; readonly text: string }
  /** Adds 1 to a counter so many times by compare-and-swap, and keeps its own count in it. */
  | { readonly kind: "increment"; readonly key: ObjectKey; readonly name: string; readonly times: number }
  /** Replaces the object by bodies of changing size, each of one repeated letter, until standard input ends. */
  | { readonly kind: "replace"; readonly key: ObjectKey }
  /** Puts the object, prints `stored` and goes on living. */
  | { readonly kind: "put_and_wait"; readonly key: ObjectKey; readonly text: string };

export interface Counter {
  readonly total: number;
  readonly byName: Readonly<Record<string, number>>;
}

const { opening, task } = JSON.parse(process.argv[2] ?? "") as {
  readonly opening: StoreOpening;
  readonly task: WorkerTask;
};
const store = openTestStore(opening);
process.stdout.write(`${await run(store, task)}\n`);
if (task.kind === "put_and_wait") await new Promise((resolve) => setTimeout(resolve, 3_600_000));
await store.close();

async function run(store: ObjectStore, task: WorkerTask): Promise<string> {
  switch (task.kind) {
    case "put_absent": {
      const body = bytesBody(Buffer.from(task.text));
      return (await store.put(task.key, body, { condition: { kind: "absent" } })).kind;
    }
    case "increment":
      return await incrementMany(store, task.key, task.name, task.times);
    case "replace":
      return await replaceUntilTold(store, task.key);
    case "put_and_wait":
      return (await store.put(task.key, bytesBody(Buffer.from(task.text)))).kind;
  }
}

async function replaceUntilTold(store: ObjectStore, key: ObjectKey): Promise<string> {
  let isOver = false;
  process.stdin.once("end", () => {
    isOver = true;
  });
  process.stdin.resume();
  for (let round = 0; !isOver; round += 1) {
    const letter = String.fromCharCode(97 + (round % 26));
    await store.put(key, bytesBody(Buffer.from(letter.repeat(1 + ((round * 7919) % 200_000)))));
  }
  return "replaced";
}

async function incrementMany(
  store: ObjectStore,
  key: ObjectKey,
  name: string,
  times: number,
): Promise<string> {
  for (let done = 0; done < times; ) {
    const found = await store.get(key);
    if (found.kind !== "object") throw new Error("the counter is gone");
    const counter = JSON.parse((await readBody(found, 10_000, key)).toString()) as Counter;
    // An unclear answer is settled here: our own count says whether the last put was applied.
    done = counter.byName[name] ?? 0;
    if (done === times) break;
    const next: Counter = { total: counter.total + 1, byName: { ...counter.byName, [name]: done + 1 } };
    try {
      const condition = { kind: "match", etag: found.etag } as const;
      await store.put(key, bytesBody(Buffer.from(JSON.stringify(next))), { condition });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "store_unavailable") throw error;
    }
  }
  return "counted";
}
