import { Examples, type Finding, type Judge } from "../rule.ts";

/** The guide advises two minutes; places that sell out may be asked for a little more often. */
const shortMs = 30_000;
/** Intervals below which nothing is said. */
const least = 5;

/** Whether the list is asked for every few minutes, rather than all the time. */
export function judgePolling(): Judge {
  let lastMs: number | undefined;
  let intervals = 0;
  let short = 0;
  let sumMs = 0;
  const examples = new Examples();
  return {
    see(request) {
      if (request.route === "detail" || request.status !== 200) return;
      if (lastMs !== undefined) {
        const intervalMs = Math.max(0, request.beganMs - lastMs);
        intervals += 1;
        sumMs += intervalMs;
        if (intervalMs < shortMs) {
          short += 1;
          examples.add(request);
        }
      }
      lastMs = request.beganMs;
    },
    finding(): Finding {
      const isSeen = intervals >= least;
      const fails = isSeen && short * 2 > intervals;
      const meanSeconds = intervals === 0 ? 0 : Math.round(sumMs / intervals / 100) / 10;
      return {
        rule: "polling",
        verdict: !isSeen ? "not-seen" : fails ? "fail" : "pass",
        summary:
          intervals === 0
            ? "The list was asked for once at most."
            : `Of ${intervals} intervals between two lists ${short} were below 30 seconds; the mean is ${meanSeconds} s.`,
        counts: { intervals, below30Seconds: short, meanSeconds },
        examples: fails ? examples.ids : [],
        advice: fails ? "Ask for the list every few minutes; two minutes is a good interval." : null,
      };
    },
  };
}
