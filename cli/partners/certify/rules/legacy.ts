import { Examples, type Finding, type Judge } from "../rule.ts";

/** Judges whether the client avoids the deprecated resource. */
export function judgeLegacy(): Judge {
  let requests = 0;
  let legacy = 0;
  const examples = new Examples();
  return {
    see(request) {
      requests += 1;
      if (request.route !== "legacy") return;
      legacy += 1;
      examples.add(request);
    },
    finding(): Finding {
      const fails = legacy > 0;
      return {
        rule: "legacy",
        verdict: fails ? "fail" : "pass",
        summary: `${legacy} of ${requests} requests were for the deprecated resource.`,
        counts: { requests, legacy },
        examples: examples.ids,
        advice: fails ? "Ask `/v1/programs` instead; the guide says how the fields map." : null,
      };
    },
  };
}
