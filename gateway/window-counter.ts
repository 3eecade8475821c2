import { RateLimiterMemory } from "rate-limiter-flexible";

/** Where a key's current window stands after a hit was counted: what rate-limiter-flexible tells of it. */
export interface WindowState {
  /** Hits in this window, this one included. */
  readonly consumedPoints: number;
  /** Milliseconds until the window ends. */
  readonly msBeforeNext: number;
}

/** Counts hits per key in windows of fixed length, each begun by its first hit. */
export interface WindowCounter {
  hit(key: string): Promise<WindowState>;
}

/** Counts in this process. Keys are ids of known tokens, so memory is bounded by their number. */
export function createProcessCounter(windowSeconds: number): WindowCounter {
  // The limit differs by token, so it is judged by the caller: this one only counts, and never rejects.
  const limiter = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: windowSeconds,
    keyPrefix: "",
  });
  // Handed on as it is: each further promise would cost as much as the counting.
  return { hit: (key) => limiter.consume(key) };
}
