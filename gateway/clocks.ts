/** The two clocks of a process, in ms. */
export interface Clocks {
  /** Time since an arbitrary moment. Nobody sets this clock, and it goes on in a stopped process. */
  readonly monotonicMs: () => number;
  /** Time since 1970. */
  readonly unixMs: () => number;
}

export const processClocks: Clocks = { monotonicMs: () => performance.now(), unixMs: Date.now };

/** How long the gateway waits where no setting says so, in ms. Tests choose other values. */
export const usualWaits = {
  /** For the token registry at the start. If the store is away, the gateway starts, but is not ready. */
  registryMs: 5000,
  /** Between two looks at `runs/confirmed.json`. */
  confirmedMs: 5000,
  /** For Redis. After that this process counts the request by itself. */
  redisMs: 250,
  /** For the gzip form of a large body, sent unpacked after that. 25 MB takes a small part of it. */
  packingMs: 2000,
  /** Between two notes that what the last good copy has is still confirmed. */
  beatMs: 5000,
  /** W170: for a changed registry to reach the disk. After that it takes effect all the same. */
  keepMs: 500,
};

export type Waits = Readonly<typeof usualWaits>;
