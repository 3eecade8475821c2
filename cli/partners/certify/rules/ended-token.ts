import { Examples, type Finding, type Judge } from "../rule.ts";

/** The number of requests after the first refusal that are no fault, since a restart or a second process may send them. */
const tolerated = 5;
const endings = new Set<string | null>(["revoked_token", "expired_token"]);

/** Judges whether the client stops when its token has ended. */
export function judgeEndedToken(): Judge {
  let endedAtMs: number | undefined;
  let refused = 0;
  let later = 0;
  const examples = new Examples();
  return {
    see(request) {
      if (request.status !== 401 || !endings.has(request.causeCode)) return;
      refused += 1;
      if (endedAtMs === undefined) endedAtMs = request.endedMs;
      // A request that began before the first refusal is no fault.
      else if (request.beganMs > endedAtMs) {
        later += 1;
        examples.add(request);
      }
    },
    finding(): Finding {
      const fails = later > tolerated;
      return {
        rule: "ended-token",
        verdict: refused === 0 ? "not-seen" : fails ? "fail" : "pass",
        summary:
          refused === 0
            ? "No request came with the token after its end."
            : `After the first 401 because of the token's end, ${later} more requests came with it.`,
        counts: { refused, later },
        examples: fails ? examples.ids : [],
        advice: fails ? "Stop at a 401 and alert somebody: asking again does not help." : null,
      };
    },
  };
}
