import type { Readable } from "node:stream";
import { asFailure } from "../core/failure.ts";
import type { ObjectStore } from "../core/object-store.ts";

/** All that the gateway may do with the store. */
export type StoreReader = Pick<ObjectStore, "get">;

/**
 * The same reader, each call reported when its outcome is known: `object`, `missing`, ... or a failure's code, and how long
 * that took (W95). A call's signal also ends the body that it got, at once and even while the body stalls: drivers look at it until they answer,
 * and those that give bodies whole until these are complete.
 */
export function guardedReader(
  store: StoreReader,
  clock: () => number,
  onCall: (operation: "get", outcome: string, durationMs: number) => void,
): StoreReader {
  return {
    async get(key, options) {
      const startedAtMs = clock();
      try {
        const result = await store.get(key, options);
        onCall("get", result.kind, clock() - startedAtMs);
        if (result.kind === "object" && result.whole === undefined) endWith(result.body, options?.signal);
        return result;
      } catch (error) {
        onCall("get", asFailure(error).code, clock() - startedAtMs);
        throw error;
      }
    },
  };
}

function endWith(body: Readable, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) body.destroy();
  else signal?.addEventListener("abort", () => body.destroy(), { once: true });
}
