/** A key's current window after a hit was counted. */
export interface WindowState {
  /** Hits in this window, this one included. */
  readonly consumedPoints: number;
  /** Milliseconds until the window ends. */
  readonly msBeforeNext: number;
}

/** Counts hits per key in windows of fixed length, each begun by its first hit. */
export interface WindowCounter {
  hit(key: string): WindowState | Promise<WindowState>;
}

/** Counts in this process, without a timer. Memory: the keys of two windows. `clock`: monotonic, ms. */
export function createProcessCounter(windowSeconds: number, clock: () => number): WindowCounter {
  const windowMs = windowSeconds * 1000;
  /** The windows of this turn and the one before. A turn lasts a window, so older ones have ended. */
  let windows = new Map<string, Window>();
  let earlier = windows;
  let turnsAtMs = Number.NEGATIVE_INFINITY;

  return {
    hit(key) {
      const nowMs = clock();
      if (nowMs >= turnsAtMs) {
        [earlier, windows] = [windows, new Map()];
        turnsAtMs = nowMs + windowMs;
      }
      let window = windows.get(key) ?? earlier.get(key);
      if (window === undefined || window.endsAtMs <= nowMs) {
        window = { hits: 0, endsAtMs: nowMs + windowMs };
        windows.set(key, window);
      }
      window.hits += 1;
      return { consumedPoints: window.hits, msBeforeNext: window.endsAtMs - nowMs };
    },
  };
}

interface Window {
  hits: number;
  readonly endsAtMs: number;
}

/** A token's window after the request was counted. */
export interface Quota {
  /** Requests per window (W50). */
  readonly limit: number;
  /** Requests left after this one. */
  readonly remaining: number;
  /** Whole seconds until the window ends, rounded up: at least 1, at most the window (W50). */
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
