import { withDeadline } from "../core/ground/bounded-work.ts";
import { Failure } from "../core/ground/failure.ts";

/** Runs a store call with a deadline that also ends the wait for a hanging disk or faulty driver. */
export function withCallDeadline<Result>(
  timeoutMs: number,
  what: string,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const expired = (): Failure =>
    new Failure("store_unavailable", `${what} took longer than ${timeoutMs} ms.`);
  return withDeadline({ timeoutMs, expired }, call);
}

/** The promise's value, or `undefined` when the time is up first. A later rejection is ignored. */
export async function valueWithin<Value>(
  timeoutMs: number,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<undefined>((resolve) => {
    // If this process was held up, the value may be in a socket already, and is read in this turn.
    timer = setTimeout(() => setImmediate(resolve, undefined), timeoutMs);
  });
  try {
    // `race` handles the promise, so a later rejection is not an unhandled one.
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until the promise has settled or the time is up, whichever comes first. */
export async function settledWithin(timeoutMs: number, promise: Promise<unknown>): Promise<void> {
  await valueWithin(
    timeoutMs,
    promise.catch(() => {}),
  );
}
