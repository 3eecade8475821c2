import type { Rule } from "../rule.ts";

/** The client avoids the deprecated resource. */
export function legacyRule(): Rule {
  return {
    breaks: ({ route }) => route === "legacy",
    judgement: (requests, legacy) => ({
      isSeen: true,
      fails: legacy > 0,
      summary: `${legacy} of ${requests} requests were for the deprecated resource.`,
      counts: { requests, legacy },
      advice: "Ask `/v1/programs` instead; the guide says how the fields map.",
    }),
  };
}
