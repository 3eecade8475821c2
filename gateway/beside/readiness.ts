import type { LiveSnapshots } from "../known/live-snapshots.ts";
import type { StoreWatch } from "../known/store-watch.ts";
import type { TokenDirectory } from "../known/token-directory.ts";

/** Whether a gateway should get requests, as `/readyz` says. */
export interface Readiness {
  /** Why the gateway should get no requests; `undefined` while it is ready. */
  notReadyCause(): string | undefined;
  /** A remark for operators when a ready gateway serves older data; `undefined` otherwise. */
  note(): string | undefined;
  /** Whether the gateway uses the last good copy, wholly or in part. */
  isServingLastGood(): boolean;
}

export function createReadiness(sources: {
  readonly tokens: Pick<TokenDirectory, "unconfirmedCause" | "isFromCopy" | "failure">;
  readonly watch: Pick<StoreWatch, "wrongStart">;
  readonly snapshots: Pick<LiveSnapshots, "isServingCopy">;
  readonly isStopping: () => boolean;
  readonly isListening: () => boolean;
}): Readiness {
  const { tokens, watch, snapshots, isStopping, isListening } = sources;
  const isServingLastGood = (): boolean => tokens.isFromCopy() || snapshots.isServingCopy();
  return {
    notReadyCause() {
      if (isStopping()) return "the gateway is shutting down";
      const cause = tokens.unconfirmedCause() ?? watch.wrongStart();
      return cause ?? (isListening() ? undefined : "the API does not listen yet");
    },

    note() {
      if (isServingLastGood()) {
        return "some data comes from the last good copy, and the store has not confirmed it yet";
      }
      const failure = tokens.failure();
      return failure && `the gateway serves what it last read of the store: ${failure}`;
    },

    isServingLastGood,
  };
}
