import { Examples, type Finding, type Judge } from "../rule.ts";

/** An interval below this is short. The guide advises two minutes. A client may ask a little more often while places sell out. */
const shortMs = 30_000;
/** Fewer intervals are too few to judge. */
const minIntervals = 5;

/** Judges whether the client asks for the list every few minutes, rather than all the time. */
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
      const isSeen = intervals >= minIntervals;
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
