import type { Rule } from "../rule.ts";

/** Gateways' clocks may differ a little. */
const slackMs = 500;
/** A request may arrive this long after a refusal and still have been sent before a distant client received the refusal. */
const roundTripMs = 250;

/** The client waits for the time in `Retry-After` after a refusal. */
export function retryAfterRule(): Rule {
  let refused = 0;
  /** A request that begins between these two times is too early. One that was under way at the refusal is no fault. */
  let fromMs = Number.POSITIVE_INFINITY;
  let untilMs = Number.NEGATIVE_INFINITY;
  return {
    breaks({ beganMs, endedMs, status, retryAfter }) {
      const isEarly = beganMs > fromMs && beganMs < untilMs;
      if (status === 429 && retryAfter !== null) {
        refused += 1;
        if (endedMs >= untilMs) fromMs = endedMs + roundTripMs;
        untilMs = Math.max(untilMs, endedMs + retryAfter * 1000 - slackMs);
      }
      return isEarly;
    },
    judgement: (_, early) => ({
      isSeen: refused > 0,
      fails: early > 0,
      summary:
        refused === 0
          ? "It was never told to wait."
          : `It was told to wait ${refused} times, and sent ${early} requests before that time was over.`,
      counts: { refused, early },
      advice: "After a 429 send nothing for as many seconds as `Retry-After` says, from any process.",
    }),
  };
}
