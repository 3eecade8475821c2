import type { Readable } from "node:stream";
import { asFailure } from "../../core/ground/failure.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";

/** The gateway only reads from the store. */
export type StoreReader = Pick<ObjectStore, "get">;

/**
 * A reader that reports each call's outcome (`object`, `missing`, ... or a failure's code) and its duration
 * (W92). The call's signal also ends the body, even while the body stalls: drivers look at the signal only
 * until they answer.
 */
export function measuredReader(
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
