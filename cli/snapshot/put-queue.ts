/** Runs writes side by side, a bounded number at a time, and stops taking more after the first failure. */
export interface PutQueue {
  /** Resolves when the write has *begun*, so that a producer waits while the store is slower than it is. */
  add(write: () => Promise<void>): Promise<void>;
  /** Resolves when every write has ended; throws the first failure. Always to be awaited, also after a failure. */
  settled(): Promise<void>;
}

export function createPutQueue(limit: number): PutQueue {
  const running = new Set<Promise<void>>();
  let failure: { readonly reason: unknown } | undefined;

  function throwFailure(): void {
    if (failure !== undefined) throw failure.reason;
  }

  return {
    async add(write) {
      while (running.size >= limit) await Promise.race(running);
      throwFailure();
      const run = write()
        .catch((reason: unknown) => {
          failure ??= { reason };
        })
        .finally(() => {
          running.delete(run);
        });
      running.add(run);
    },

    async settled() {
      await Promise.all(running);
      throwFailure();
    },
  };
}
