import type { LiveSnapshots } from "../known/live-snapshots.ts";
import type { StoreWatch } from "../known/store-watch.ts";
import type { TokenDirectory } from "../known/token-directory.ts";

/** Whether a gateway should get requests, as `/readyz` says. */
export type Readiness = ReturnType<typeof createReadiness>;

export function createReadiness(sources: {
  readonly tokens: Pick<TokenDirectory, "unconfirmedCause" | "isFromCopy" | "failure">;
  readonly watch: Pick<StoreWatch, "wrongStart">;
  readonly snapshots: Pick<LiveSnapshots, "isServingCopy">;
  readonly isStopping: () => boolean;
  readonly isListening: () => boolean;
}) {
  const { tokens, watch, snapshots, isStopping, isListening } = sources;
  const isServingLastGood = (): boolean => tokens.isFromCopy() || snapshots.isServingCopy();
  return {
    /** Why the gateway should get no requests; `undefined` while it is ready. */
    notReadyCause(): string | undefined {
      if (isStopping()) return "the gateway is shutting down";
      const cause = tokens.unconfirmedCause() ?? watch.wrongStart();
      return cause ?? (isListening() ? undefined : "the API does not listen yet");
    },

    /** A remark for operators when a ready gateway serves older data; `undefined` otherwise. */
    note(): string | undefined {
      if (isServingLastGood()) {
        return "some data comes from the last good copy, and the store has not confirmed it yet";
      }
      const failure = tokens.failure();
      return failure && `the gateway serves what it last read of the store: ${failure}`;
    },

    /** Whether the gateway uses the last good copy, wholly or in part. */
    isServingLastGood,
  };
}
