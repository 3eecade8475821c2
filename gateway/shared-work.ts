/**
 * Runs work once for all callers with the same key while it is under way. A caller's signal says that the caller has left.
 * When all have left, the work's own signal ends it, and the next caller begins the work again.
 */
export type SharedWork<Result> = (
  key: string,
  left: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

export function createSharedWork<Result>(): SharedWork<Result> {
  const underWay = new Map<string, Work<Result>>();

  function begin(key: string, work: (signal: AbortSignal) => Promise<Result>): Work<Result> {
    const controller = new AbortController();
    const forget = (): void => {
      if (underWay.get(key) === begun) underWay.delete(key);
    };
    const begun: Work<Result> = { controller, result: work(controller.signal), forget, waiting: 0 };
    begun.result.then(forget, forget);
    underWay.set(key, begun);
    return begun;
  }

  return async (key, left, work) => {
    left?.throwIfAborted();
    const joined = underWay.get(key) ?? begin(key, work);
    const leave = (): void => {
      joined.waiting -= 1;
      if (joined.waiting > 0) return;
      joined.forget();
      joined.controller.abort();
    };
    joined.waiting += 1;
    left?.addEventListener("abort", leave, { once: true });
    try {
      return await joined.result;
    } finally {
      left?.removeEventListener("abort", leave);
    }
  };
}

interface Work<Result> {
  readonly controller: AbortController;
  readonly result: Promise<Result>;
  /** Makes the next caller begin the work again. */
  readonly forget: () => void;
  /** Number of callers that have not left. */
  waiting: number;
}
