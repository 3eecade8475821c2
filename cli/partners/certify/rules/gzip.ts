import { Examples, type Finding, type Judge } from "../rule.ts";

/** One answer in this many may be asked for without gzip: somebody looks by hand now and then. */
const tolerated = 20;

/** Whether answers are asked for in their packed form, at about a sixth of the size. */
export function judgeGzip(): Judge {
  let asked = 0;
  let plain = 0;
  const examples = new Examples();
  return {
    see(request) {
      // Only what the client sends counts: a very large answer may go out as it is.
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
