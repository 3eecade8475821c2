import { Failure } from "../core/failure.ts";

/**
 * Runs a store call that must settle: aborted and given up after `timeoutMs`, even if the driver never lets go.
 * Drivers keep deadlines of their own; this one keeps a hanging disk or a faulty driver from holding a refresh,
 * and every request that waits for it, for ever.
 */
export async function withDeadline<Result>(
  timeoutMs: number,
  what: string,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Failure("store_unavailable", `${what} took longer than ${timeoutMs} ms.`));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([call(controller.signal), expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until the promise has settled or the time is up, whichever comes first; says nothing about which. */
export async function settledWithin(timeoutMs: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([promise.catch(() => {}), expired]);
  clearTimeout(timer);
}
