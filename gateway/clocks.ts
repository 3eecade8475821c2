/** The two clocks of a process, in ms. */
export interface Clocks {
  /** Since an arbitrary moment. Nobody can set it, and it goes on while the process is stopped. */
  readonly monotonicMs: () => number;
  /** Since 1970. */
  readonly unixMs: () => number;
}

export const processClocks: Clocks = { monotonicMs: () => performance.now(), unixMs: Date.now };
