import type { OwnRequest, Rule, RuleName } from "../rule.ts";

/** The rules that judge each request by itself, and so remember nothing. */
export const requestRules = {
  /** The client asks for gzip, which has about a sixth of the size. */
  gzip: {
    breaks({ status, acceptsGzip }) {
      // Only the request counts, since the gateway may send a very large answer without gzip.
      if (status !== 200 || acceptsGzip === null) return undefined;
      return !acceptsGzip;
    },
    judgement: (asked, plain) => ({
      isSeen: asked > 0,
      // One request in 20 may come without gzip, since people try the API by hand now and then.
      fails: plain * 20 > asked,
      summary: `${plain} of ${asked} answers were asked for without gzip.`,
      counts: { answers: asked, withoutGzip: plain },
      advice: "Send `Accept-Encoding: gzip` and unpack the answer.",
    }),
  },

  /** The client stays below its quota. */
  quota: {
    breaks: (request) => (isUncounted(request) ? undefined : request.status === 429),
    judgement: (counted, refused) => ({
      isSeen: counted > 0,
      // One request in 100 may be refused.
      fails: refused * 100 > counted,
      summary: `${refused} of ${counted} requests were refused because the quota was used up.`,
      counts: { counted, refused },
      advice:
        "Read `RateLimit`: when `r` is 0, wait `t` seconds before the next request. Let all processes share one client.",
    }),
  },

  /** The client avoids the deprecated resource. */
  legacy: {
    breaks: ({ route }) => route === "legacy",
    judgement: (requests, legacy) => ({
      isSeen: true,
      fails: legacy > 0,
      summary: `${legacy} of ${requests} requests were for the deprecated resource.`,
      counts: { requests, legacy },
      advice: "Ask `/v1/programs` instead; the guide says how the fields map.",
    }),
  },

  /** All requests are GETs. */
  methods: {
    breaks: ({ status }) => status === 405,
    judgement: (requests, refused) => ({
      isSeen: true,
      fails: refused > 0,
      summary: `${refused} of ${requests} requests had another method than GET.`,
      counts: { requests, refused },
      advice: "Send GET only; switch off what your library sends first (HEAD, OPTIONS).",
    }),
  },
} as const satisfies Partial<Record<RuleName, Rule>>;

/** W52: requests count only after the token check, which comes after the checks of path and method. */
function isUncounted({ status, causeCode }: OwnRequest): boolean {
  return status === 401 || status === 405 || causeCode === "unknown_path";
}
