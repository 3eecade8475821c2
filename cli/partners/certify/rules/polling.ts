import type { Rule } from "../rule.ts";

/** An interval below this is short. The guide advises two minutes. A client may ask a little more often while places sell out. */
const shortMs = 30_000;
/** Fewer intervals are too few to judge. */
const minIntervals = 5;

/** The client asks for the list every few minutes, rather than all the time. */
export function pollingRule(): Rule {
  let lastMs: number | undefined;
  let sumMs = 0;
  return {
    breaks({ route, status, beganMs }) {
      if (route === "detail" || status !== 200) return undefined;
      const beforeMs = lastMs;
      lastMs = beganMs;
      if (beforeMs === undefined) return undefined;
      const intervalMs = Math.max(0, beganMs - beforeMs);
      sumMs += intervalMs;
      return intervalMs < shortMs;
    },
    judgement(intervals, short) {
      const meanSeconds = intervals === 0 ? 0 : Math.round(sumMs / intervals / 100) / 10;
      return {
        isSeen: intervals >= minIntervals,
        fails: short * 2 > intervals,
        summary:
          intervals === 0
            ? "The list was asked for once at most."
            : `Of ${intervals} intervals between two lists ${short} were below 30 seconds; the mean is ${meanSeconds} s.`,
        counts: { intervals, below30Seconds: short, meanSeconds },
        advice: "Ask for the list every few minutes; two minutes is a good interval.",
      };
    },
  };
}
