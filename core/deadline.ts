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
 */
export async function withDeadline<Result>(
  { timeoutMs, signal, expired }: Deadline,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const ended = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
  });
  const onAbort = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(expired()), timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([call(controller.signal), ended]);
  } catch (thrown) {
    // Whatever the call still holds (a socket, a file) must not outlive it.
    controller.abort(thrown);
    throw thrown;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
