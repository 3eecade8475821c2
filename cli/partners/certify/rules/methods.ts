import { Examples, type Finding, type Judge } from "../rule.ts";

/** Judges whether all requests are GETs. */
export function judgeMethods(): Judge {
  let requests = 0;
  let refused = 0;
  const examples = new Examples();
  return {
    see(request) {
      requests += 1;
      if (request.status !== 405) return;
      refused += 1;
      examples.add(request);
    },
    finding(): Finding {
      const fails = refused > 0;
      return {
        rule: "methods",
        verdict: fails ? "fail" : "pass",
        summary: `${refused} of ${requests} requests had another method than GET.`,
        counts: { requests, refused },
        examples: examples.ids,
        advice: fails ? "Send GET only; switch off what your library sends first (HEAD, OPTIONS)." : null,
      };
    },
  };
}
