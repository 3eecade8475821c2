import type { WindowState } from "./window-counter.ts";

/** Where a token's window stands after the request that asked. */
export interface Quota {
  /** Requests per window (W50). */
  readonly limit: number;
  /** Requests left after this one. */
  readonly remaining: number;
  /** Whole seconds until the window ends, rounded up: at least 1, at most the window (W51). */
  readonly resetSeconds: number;
  readonly isExceeded: boolean;
}

/** The quota of a token that may make `limit` requests per window. */
export function quota(state: WindowState, limit: number, windowSeconds: number): Quota {
  return {
    limit,
    remaining: Math.max(0, limit - state.consumedPoints),
    resetSeconds: Math.min(windowSeconds, Math.max(1, Math.ceil(state.msBeforeNext / 1000))),
    isExceeded: state.consumedPoints > limit,
  };
}
