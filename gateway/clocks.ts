/** The two clocks of a process, in ms. */
export interface Clocks {
  /** Time since an arbitrary moment. Nobody can set this clock, and it goes on while the process is stopped. */
  readonly monotonicMs: () => number;
  /** Time since 1970. */
  readonly unixMs: () => number;
}

export const processClocks: Clocks = { monotonicMs: () => performance.now(), unixMs: Date.now };

/** How long the gateway waits where no setting says so, in ms. Tests choose other values. */
export interface Waits {
  /** For the token registry at the start. If the store is away, the gateway starts all the same, but is not ready. */
  readonly registryMs: number;
  /** Between two looks at `runs/confirmed.json`. */
  readonly confirmedMs: number;
  /** For Redis. After that this process counts the request by itself. */
  readonly redisMs: number;
  /** For the gzip form of a large body. After that its bytes are sent unpacked. */
  readonly packingMs: number;
  /** Between two notes that what the last good copy has is still confirmed. */
  readonly beatMs: number;
  /** W170: for a changed token registry to reach the disk. After that it takes effect without being on the disk. */
  readonly keepMs: number;
}

export const usualWaits: Waits = {
  registryMs: 5000,
  confirmedMs: 5000,
  redisMs: 250,
  /** Packing a list of 25 MB takes a small part of this time. */
  packingMs: 2000,
  beatMs: 5000,
  keepMs: 500,
};
