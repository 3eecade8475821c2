import type { Rule } from "../rule.ts";

/** All requests are GETs. */
export function methodsRule(): Rule {
  return {
    breaks: ({ status }) => status === 405,
    judgement: (requests, refused) => ({
      isSeen: true,
      fails: refused > 0,
      summary: `${refused} of ${requests} requests had another method than GET.`,
      counts: { requests, refused },
      advice: "Send GET only; switch off what your library sends first (HEAD, OPTIONS).",
    }),
  };
}
