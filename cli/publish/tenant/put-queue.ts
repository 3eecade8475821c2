/** Runs writes side by side, a bounded number and size at a time, and stops taking more after the first failure. */
export interface PutQueue {
  /** Resolves when the write has *begun*, so that a producer waits while the store is slower than it is. */
  add(bytes: number, write: () => Promise<void>): Promise<void>;
  /** Resolves when every write has ended; throws the first failure. Always to be awaited, also after a failure. */
  settled(): Promise<void>;
}

/** A write of more than `maxBytes` runs alone. */
export function createPutQueue(limit: number, maxBytes: number): PutQueue {
  const running = new Set<Promise<void>>();
  let runningBytes = 0;
  let failure: { readonly reason: unknown } | undefined;
  /** Those who wait for a write to end. A race of all that run would leave something behind on each of them every time. */
  let waiting: (() => void)[] = [];

  function wakeAll(): void {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  function throwFailure(): void {
    if (failure !== undefined) throw failure.reason;
  }

  return {
    async add(bytes, write) {
      const isFull = (): boolean =>
        running.size >= limit || (running.size > 0 && runningBytes + bytes > maxBytes);
      while (isFull()) await new Promise<void>((resolve) => waiting.push(resolve));
      throwFailure();
      const run = write()
        .catch((reason: unknown) => {
          failure ??= { reason };
        })
        .finally(() => {
          running.delete(run);
          runningBytes -= bytes;
          wakeAll();
        });
      running.add(run);
      runningBytes += bytes;
    },

    async settled() {
      await Promise.all(running);
      throwFailure();
    },
  };
}
