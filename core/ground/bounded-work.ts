import { interrupted } from "./failure.ts";

/** Runs tasks, at most `max` at once, the others in order. Throws `interrupted` if a wait is aborted. */
export type Slots = <Result>(
  /** Describes the task in messages. */
  what: string,
  signal: AbortSignal | undefined,
  task: () => Promise<Result>,
) => Promise<Result>;

export function createSlots(max: number): Slots {
  let free = max;
  const waiting: (() => void)[] = [];

  function itsTurn(what: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.splice(waiting.indexOf(onTurn), 1);
        reject(interrupted(what));
      };
      const onTurn = (): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      waiting.push(onTurn);
    });
  }

  return async (what, signal, task) => {
    if (signal?.aborted === true) throw interrupted(what);
    if (free > 0) free -= 1;
    else await itsTurn(what, signal);
    try {
      return await task();
    } finally {
      // The task that has waited longest gets the slot, so that no new task overtakes it.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/**
 * Runs `work` for every item in order, at most `limit` at a time. After the first failure no more work
 * begins, and the failure is thrown when the work under way has ended.
 */
export async function forEachBounded<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failure: { readonly reason: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && failure === undefined; next = queue.next()) {
      await work(next.value).catch((reason: unknown) => {
        failure ??= { reason };
      });
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failure !== undefined) throw failure.reason;
}

/** The results of `work` for every item, in order. At most `limit` are worked on at a time. */
export async function inRounds<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += limit) {
    for (const result of await Promise.all(items.slice(at, at + limit).map(work))) results.push(result);
  }
  return results;
}

export interface Deadline {
  readonly timeoutMs: number;
  /** Lets the caller end the call. */
  readonly signal?: AbortSignal | undefined;
  /** Creates the error that is thrown when the time is up. */
  readonly expired: () => Error;
}

/**
 * Runs a call with a deadline. When the time is up or the caller's signal fires, the call's own signal fires
 * and the reason is thrown, even if the call goes on (a hanging disk, a driver that looks up credentials).
 * Every read and write of an object runs through this function, some twice, so it avoids `Promise.race` and
 * unneeded listeners.
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
    const fail = (reason: unknown): void => {
      end();
      reject(reason);
      // The call must let go of what it holds (a socket, a file).
      controller.abort(reason);
    };
    const onAbort = (): void => fail(signal?.reason);
    const timer = setTimeout(() => fail(expired()), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    const succeed = (result: Result): void => {
      end();
      resolve(result);
    };
    try {
      call(controller.signal).then(succeed, fail);
    } catch (thrown) {
      fail(thrown);
    }
  });
}
