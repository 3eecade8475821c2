export interface Deadline {
  readonly timeoutMs: number;
  /** Lets the caller end the call. */
  readonly signal?: AbortSignal | undefined;
  /** Creates the error that is thrown when the time is up. */
  readonly expired: () => Error;
}

/**
 * Runs a call with a deadline. When the time is up or the caller's signal fires, the call's own signal fires and the reason is
 * thrown, even if the call goes on (a hanging disk, a driver that looks up credentials). Every read and write of an object
 * runs through this function, some twice, so it avoids `Promise.race` and unneeded listeners.
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
      // The call must let go of what it holds (a socket, a file).
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
