/** Lets told tenants' builds go first where all builds of this process share: its one thread, its files, its sockets. */
export interface RightOfWay {
  /** A told tenant's build goes on until the returned function is called. */
  take(): () => void;
  /** Resolves when none goes on, or when it has been stood still for long enough. */
  give(): Promise<void>;
}

/**
 * P33: before each of its queries and writes a round stands still for told tenants' builds, for `maxMs`; then it goes on
 * beside them for as long, so that it ends however much is told. `clock` is monotonic.
 */
export function createRightOfWay(maxMs: number, clock: () => number): RightOfWay {
  let taken = 0;
  let standsUntil = Number.NEGATIVE_INFINITY;
  const waiting = new Set<() => void>();
  return {
    take() {
      taken += 1;
      if (clock() > standsUntil + maxMs) standsUntil = clock() + maxMs;
      return () => {
        taken -= 1;
        if (taken === 0) for (const goOn of waiting) goOn();
      };
    },
    give() {
      const now = clock();
      if (now > standsUntil + maxMs) standsUntil = now + maxMs;
      if (taken === 0 || now >= standsUntil) return Promise.resolve();
      return new Promise((resolve) => {
        const goOn = (): void => {
          clearTimeout(deadline);
          waiting.delete(goOn);
          resolve();
        };
        const deadline = setTimeout(goOn, standsUntil - now);
        waiting.add(goOn);
      });
    },
  };
}
