import type { Rule } from "../rule.ts";

/** One request in this many may come without gzip, since people try the API by hand now and then. */
const tolerated = 20;

/** The client asks for gzip, which has about a sixth of the size. */
export function gzipRule(): Rule {
  return {
    breaks({ status, acceptsGzip }) {
      // Only the request counts, since the gateway may send a very large answer without gzip.
      if (status !== 200 || acceptsGzip === null) return undefined;
      return !acceptsGzip;
    },
    judgement: (asked, plain) => ({
      isSeen: asked > 0,
      fails: plain * tolerated > asked,
      summary: `${plain} of ${asked} answers were asked for without gzip.`,
      counts: { answers: asked, withoutGzip: plain },
      advice: "Send `Accept-Encoding: gzip` and unpack the answer.",
    }),
  };
}
