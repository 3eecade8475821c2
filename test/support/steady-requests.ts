/** One client that asks again and again, and what it got. */
export interface SteadyRequests {
  /** Answers so far, by what `kindOf` calls them. */
  counts(): Readonly<Record<string, number>>;
  /** Resolves when so many more answers of that kind are there. */
  more(kind: string, count: number): Promise<void>;
  stop(): Promise<Readonly<Record<string, number>>>;
}

/** Asks for the address by so many clients side by side, each as soon as its last answer is there. */
export function steadyRequests(
  url: string,
  token: string,
  clients: number,
  kindOf: (status: number, body: string) => string,
  headers: Readonly<Record<string, string>> = {},
): SteadyRequests {
  const counts: Record<string, number> = {};
  const stopping = new AbortController();
  let heard: () => void = () => {};
  async function ask(): Promise<void> {
    while (!stopping.signal.aborted) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
      const kind = kindOf(response.status, await response.text());
      counts[kind] = (counts[kind] ?? 0) + 1;
      heard();
    }
  }
  const asking = Promise.all(Array.from({ length: clients }, ask));
  // A refused connection fails the test where it is waited for.
  asking.catch(() => {});
  return {
    counts: () => ({ ...counts }),
    async more(kind, count) {
      const goal = (counts[kind] ?? 0) + count;
      const reached = new Promise<void>((resolve) => {
        heard = () => {
          if ((counts[kind] ?? 0) >= goal) resolve();
        };
      });
      await Promise.race([reached, asking]);
    },
    async stop() {
      stopping.abort();
      await asking;
      return { ...counts };
    },
  };
}
