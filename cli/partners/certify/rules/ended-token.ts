import type { Rule } from "../rule.ts";

/** The number of requests after the first refusal that are no fault, since a restart or a second process may send them. */
const tolerated = 5;
const endings = new Set<string | null>(["revoked_token", "expired_token"]);

/** The client stops when its token has ended. */
export function endedTokenRule(): Rule {
  let endedAtMs: number | undefined;
  return {
    breaks({ status, causeCode, beganMs, endedMs }) {
      if (status !== 401 || !endings.has(causeCode)) return undefined;
      endedAtMs ??= endedMs;
      // A request that began before the first refusal is no fault.
      return beganMs > endedAtMs;
    },
    judgement: (refused, later) => ({
      isSeen: refused > 0,
      fails: later > tolerated,
      summary:
        refused === 0
          ? "No request came with the token after its end."
          : `After the first 401 because of the token's end, ${later} more requests came with it.`,
      counts: { refused, later },
      advice: "Stop at a 401 and alert somebody: asking again does not help.",
    }),
  };
}
