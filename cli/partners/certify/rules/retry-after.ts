import { Examples, type Finding, type Judge } from "../rule.ts";

/** Gateways' clocks may differ a little. */
const slackMs = 500;
/** A request may arrive this long after a refusal and still have been sent before a distant client received the refusal. */
const roundTripMs = 250;

/** Judges whether the client waits for the time in `Retry-After` after a refusal. */
export function judgeRetryAfter(): Judge {
  let refused = 0;
  let early = 0;
  /** A request that begins between these two times is too early. One that was under way at the refusal is no fault. */
  let fromMs = Number.POSITIVE_INFINITY;
  let untilMs = Number.NEGATIVE_INFINITY;
  const examples = new Examples();
  return {
    see(request) {
      const { beganMs, endedMs, status, retryAfter } = request;
      if (beganMs > fromMs && beganMs < untilMs) {
        early += 1;
        examples.add(request);
      }
      if (status !== 429 || retryAfter === null) return;
      refused += 1;
      const endMs = endedMs + retryAfter * 1000 - slackMs;
      if (endedMs >= untilMs) fromMs = endedMs + roundTripMs;
      untilMs = Math.max(untilMs, endMs);
    },
    finding(): Finding {
      const fails = early > 0;
      return {
        rule: "retry-after",
        verdict: refused === 0 ? "not-seen" : fails ? "fail" : "pass",
        summary:
          refused === 0
            ? "It was never told to wait."
            : `It was told to wait ${refused} times, and sent ${early} requests before that time was over.`,
        counts: { refused, early },
        examples: examples.ids,
        advice: fails
          ? "After a 429 send nothing for as many seconds as `Retry-After` says, from any process."
          : null,
      };
    },
  };
}
