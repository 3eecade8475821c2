import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ObjectKey } from "../../core/ground/object-key.ts";
import { outputOf } from "./run-to-end.ts";
import type { StoreOpening } from "./store-opening.ts";

/** What a process of the contract suite does to a store. */
export type WorkerTask =
  /** Puts the object if it is absent; prints `stored` or `refused`. */
  | { readonly kind: "put_absent"; readonly key: ObjectKey; readonly text: string }
  /** Adds 1 to a counter so many times by compare-and-swap, and keeps its own count in it. */
  | { readonly kind: "increment"; readonly key: ObjectKey; readonly name: string; readonly times: number }
  /**
   * Replaces the object by bodies of changing size, each of one repeated letter, until standard input ends.
   */
  | { readonly kind: "replace"; readonly key: ObjectKey }
  /** Puts the object, prints `stored` and goes on living. */
  | { readonly kind: "put_and_wait"; readonly key: ObjectKey; readonly text: string };

export interface Counter {
  readonly total: number;
  readonly byName: Readonly<Record<string, number>>;
}

export type StoreProcess = ReturnType<typeof startStoreProcess>;

/** Does the task in a process of its own. */
export function startStoreProcess(
  opening: StoreOpening,
  task: WorkerTask,
  env: Readonly<Record<string, string | undefined>> = process.env,
) {
  const script = fileURLToPath(new URL("./object-store-worker.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify({ opening, task })], { env });
  const all = outputOf(child);
  const output = once(child, "close").then(([code, signal]) => {
    if (code === 0) return all.stdout;
    throw new Error(`${task.kind} ended with ${code ?? signal}: ${all.stderr}`);
  });
  // A test that kills the process never looks at its output.
  output.catch(() => {});
  return {
    child,
    /** Standard output, once the process has ended well; rejects with its standard error otherwise. */
    output,
    /** Resolves when standard output holds the text. */
    async printed(text: string) {
      while (!all.stdout.includes(text)) {
        const ended = output.then(() => {
          if (!all.stdout.includes(text))
            throw new Error(`${task.kind} ended without printing ${text}: ${all.stdout}`);
        });
        await Promise.race([once(child.stdout, "data"), ended]);
      }
    },
  };
}
