import type { OwnRequest, Rule } from "../rule.ts";

/** One request in this many may be refused. */
const tolerated = 100;

/** The client stays below its quota. */
export function quotaRule(): Rule {
  return {
    breaks: (request) => (isUncounted(request) ? undefined : request.status === 429),
    judgement: (counted, refused) => ({
      isSeen: counted > 0,
      fails: refused * tolerated > counted,
      summary: `${refused} of ${counted} requests were refused because the quota was used up.`,
      counts: { counted, refused },
      advice:
        "Read `RateLimit`: when `r` is 0, wait `t` seconds before the next request. Let all processes share one client.",
    }),
  };
}

/** W52: requests count only after the token check, which comes after the checks of path and method. */
function isUncounted({ status, causeCode }: OwnRequest): boolean {
  return status === 401 || status === 405 || causeCode === "unknown_path";
}
