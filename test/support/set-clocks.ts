import type { Clocks } from "../../gateway/clocks.ts";

/** Clocks that stand still until the test moves them, both by the same time. */
export interface SetClocks extends Clocks {
  advance(ms: number): void;
}

export function setClocks(): SetClocks {
  const startedAtMs = Date.now();
  let passedMs = 0;
  return {
    monotonicMs: () => passedMs,
    unixMs: () => startedAtMs + passedMs,
    advance(ms) {
      passedMs += ms;
    },
  };
}
