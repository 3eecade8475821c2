import { createSlots, withDeadline } from "../core/bounded-work.ts";
import { Failure } from "../core/failure.ts";

/**
 * Runs a store call with a deadline. Drivers have deadlines of their own. This one also ends the wait for a hanging disk or a
 * faulty driver, which would otherwise block a refresh, and every request that waits for it, for ever.
 */
export function withCallDeadline<Result>(
  timeoutMs: number,
  what: string,
  call: (signal: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const expired = (): Failure =>
    new Failure("store_unavailable", `${what} took longer than ${timeoutMs} ms.`);
  return withDeadline({ timeoutMs, signal, expired }, call);
}

/** The promise's value, or `undefined` when the time is up first. A later rejection is ignored. */
export async function valueWithin<Value>(
  timeoutMs: number,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
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

/** Runs a reading of the disk. Resolves to undefined when it fails or takes too long; never rejects. */
export type PatientReader = <Value>(read: () => Promise<Value | undefined>) => Promise<Value | undefined>;

/**
 * For callers that can also ask the store (W85). Readings take turns, and none begins while one hangs: a hanging one holds one of
 * the four threads that Node.js has for files, gzip and host names together, and hanging writes may hold two others.
 */
export function createPatientReader(maxReadMs = 1000): PatientReader {
  const slots = createSlots(1);
  let hanging = 0;

  async function inTurn<Value>(read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    if (hanging > 0) return undefined;
    hanging += 1;
    const value = read()
      .catch(() => undefined)
      .finally(() => {
        hanging -= 1;
      });
    return await valueWithin(maxReadMs, value);
  }

  return async (read) => {
    const tooLong = AbortSignal.timeout(maxReadMs);
    return await slots("Reading the last good copy", tooLong, () => inTurn(read)).catch(() => undefined);
  };
}
