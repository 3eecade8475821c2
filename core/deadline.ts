export interface Deadline {
  readonly timeoutMs: number;
  /** The caller's own end of the call. */
  readonly signal?: AbortSignal | undefined;
  /** What is thrown when the time is up. */
  readonly expired: () => Error;
}

/**
 * Runs a call that must settle: when the time is up or the caller's signal fires, the call's own signal fires and the
 * reason is thrown, even if the call never lets go (a hanging disk, a driver that looks up credentials).
 * Every read and write of an object passes here, some twice, hence no race of promises and no listener that can be spared.
 */
export function withDeadline<Result>(
  { timeoutMs, signal, expired }: Deadline,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const succeed = (result: Result): void => {
      end();
      resolve(result);
    };
    const fail = (reason: unknown): void => {
      end();
      reject(reason);
      // Whatever the call still holds (a socket, a file) must not outlive it.
      controller.abort(reason);
    };
    const onAbort = (): void => fail(signal?.reason);
    const timer = setTimeout(() => fail(expired()), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      call(controller.signal).then(succeed, fail);
    } catch (thrown) {
      fail(thrown);
    }
  });
}
