import type { Finding, ForeignConnections, OwnRequest, Rule, RuleName } from "./rule.ts";

export interface Judge {
  /** Called in the order in which the requests ended. */
  see(request: OwnRequest): void;
  finding(foreign: ForeignConnections | undefined): Finding;
}

/** Counts the requests that a rule counts, and those that break it. */
export function createJudge(rule: RuleName, { breaks, judgement }: Rule): Judge {
  let counted = 0;
  let broken = 0;
  const examples: string[] = [];
  return {
    see(request) {
      const isBroken = breaks(request);
      if (isBroken === undefined) return;
      counted += 1;
      if (!isBroken) return;
      broken += 1;
      if (examples.length < maxExamples) examples.push(request.requestId);
    },
    finding(foreign) {
      const { isSeen, fails, summary, counts, advice } = judgement(counted, broken, foreign);
      if (isSeen && fails) return { rule, verdict: "fail", summary, counts, examples, advice };
      const verdict = isSeen ? "pass" : "not-seen";
      return { rule, verdict, summary, counts, examples: [], advice: null };
    },
  };
}

const maxExamples = 3;
