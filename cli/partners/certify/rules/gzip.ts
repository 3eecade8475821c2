import { Examples, type Finding, type Judge } from "../rule.ts";

/** One request in this many may come without gzip, since people try the API by hand now and then. */
const tolerated = 20;

/** Judges whether the client asks for gzip, which has about a sixth of the size. */
export function judgeGzip(): Judge {
  let asked = 0;
  let plain = 0;
  const examples = new Examples();
  return {
    see(request) {
      // Only the request counts, since the gateway may send a very large answer without gzip.
      if (request.status !== 200 || request.acceptsGzip === null) return;
      asked += 1;
      if (request.acceptsGzip) return;
      plain += 1;
      examples.add(request);
    },
    finding(): Finding {
      const fails = plain * tolerated > asked;
      return {
        rule: "gzip",
        verdict: asked === 0 ? "not-seen" : fails ? "fail" : "pass",
        summary: `${plain} of ${asked} answers were asked for without gzip.`,
        counts: { answers: asked, withoutGzip: plain },
        examples: fails ? examples.ids : [],
        advice: fails ? "Send `Accept-Encoding: gzip` and unpack the answer." : null,
      };
    },
  };
}
