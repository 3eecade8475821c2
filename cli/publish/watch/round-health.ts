/** How the rounds of all go, for whoever restarts a watch that is stuck. */
export interface RoundHealth {
  /** `failureCode`: why the round came to nothing; `undefined` when it got through, whatever single tenants did. */
  roundEnded(nowMs: number, tookMs: number, failureCode: string | undefined): void;
  /** Why it is not ready; `undefined` while it is. */
  notReadyCause(nowMs: number): string | undefined;
}

/**
 * Ready from the end of the first round that got through, for as long as the last such is not older than three intervals. A
 * round that takes longer than the interval has that time, too.
 */
export function createRoundHealth(intervalMs: number): RoundHealth {
  let why = "";
  let last: { readonly endedMs: number; readonly tookMs: number } | undefined;
  return {
    roundEnded(nowMs, tookMs, failureCode) {
      why = failureCode === undefined ? "" : `; the last one failed: ${failureCode}`;
      if (failureCode === undefined) last = { endedMs: nowMs, tookMs };
    },
    notReadyCause(nowMs) {
      if (last === undefined) return `no round of all tenants has got through yet${why}`;
      const ageMs = nowMs - last.endedMs;
      if (ageMs <= 3 * intervalMs + 2 * last.tookMs) return undefined;
      return `the last round of all tenants that got through ended ${Math.round(ageMs / 1000)} s ago${why}`;
    },
  };
}
