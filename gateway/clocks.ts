/** The two clocks of a process, in ms. */
export interface Clocks {
  /** Since an arbitrary moment. Nobody can set it, and it goes on while the process is stopped. */
  readonly monotonicMs: () => number;
  /** Since 1970. */
  readonly unixMs: () => number;
}

export const processClocks: Clocks = { monotonicMs: () => performance.now(), unixMs: Date.now };

/** What the gateway's own patience is where no setting says it, in ms. Tests set it apart from the machine's speed. */
export interface Waits {
  /** At the start, for the token registry: a store that is away does not keep the gateway from coming up, if unready. */
  readonly registryMs: number;
  /** For the gzip form of a large body, before its bytes go out as they are. */
  readonly packingMs: number;
  /** Between two states of the last good copy while nothing changes. */
  readonly beatMs: number;
  /** W170: for a changed token registry to be on the disk of that copy, before it takes effect all the same. */
  readonly keepMs: number;
  /** Between two attempts to mend that copy: on a disk that is nearly full some of it fails again and again. */
  readonly mendPauseMs: number;
}

export const usualWaits: Waits = {
  registryMs: 5000,
  /** Many times what a list of 25 MB takes. */
  packingMs: 2000,
  beatMs: 5000,
  keepMs: 500,
  mendPauseMs: 10_000,
};
