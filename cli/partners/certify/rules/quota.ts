import { Examples, type Finding, type Judge, type OwnRequest } from "../rule.ts";

/** One request in this many may be refused. */
const tolerated = 100;

/** Judges whether the client stays below its quota. */
export function judgeQuota(): Judge {
  let counted = 0;
  let refused = 0;
  const examples = new Examples();
  return {
    see(request) {
      if (isUncounted(request)) return;
      counted += 1;
      if (request.status !== 429) return;
      refused += 1;
      examples.add(request);
    },
    finding(): Finding {
      const fails = refused * tolerated > counted;
      return {
        rule: "quota",
        verdict: counted === 0 ? "not-seen" : fails ? "fail" : "pass",
        summary: `${refused} of ${counted} requests were refused because the quota was used up.`,
        counts: { counted, refused },
        examples: fails ? examples.ids : [],
        advice: fails
          ? "Read `RateLimit`: when `r` is 0, wait `t` seconds before the next request. Let all processes share one client."
          : null,
      };
    },
  };
}

/** W52: requests count only after the token check, which comes after the checks of path and method. */
function isUncounted({ status, causeCode }: OwnRequest): boolean {
  return status === 401 || status === 405 || causeCode === "unknown_path";
}
