import { Examples, type Finding, type ForeignConnections, type Judge } from "../rule.ts";

/** A request that follows within this time should find a connection open, since clients keep one for at least some seconds. */
const promptMs = 2000;
/** Fewer prompt requests are too few to judge. */
const minPrompt = 5;

const unjudged: Readonly<Record<ForeignConnections, string>> = {
  proxied: "The gateway saw a proxy's connections.",
  shared:
    "Its connections also carry other tokens: they belong to a proxy, or to one client with several tokens. For the latter use --direct.",
};

/** Judges whether a request that soon follows another one uses an open connection. */
export function judgeKeepAlive(): Judge {
  let lastEndMs = Number.NEGATIVE_INFINITY;
  let prompt = 0;
  let opened = 0;
  const examples = new Examples();
  return {
    see(request) {
      const { nth, beganMs, endedMs } = request;
      if (nth !== null && beganMs - lastEndMs <= promptMs) {
        prompt += 1;
        if (nth === 1) {
          opened += 1;
          examples.add(request);
        }
      }
      lastEndMs = Math.max(lastEndMs, endedMs);
    },
    finding(foreign): Finding {
      const isSeen = foreign === undefined && prompt >= minPrompt;
      // A client that sends requests in parallel opens several connections at first.
      const fails = isSeen && opened * 2 > prompt;
      return {
        rule: "keep-alive",
        verdict: !isSeen ? "not-seen" : fails ? "fail" : "pass",
        summary:
          foreign === undefined
            ? `Of ${prompt} requests that closely followed another, ${opened} opened a new connection.`
            : unjudged[foreign],
        counts: { prompt, newConnections: opened },
        examples: fails ? examples.ids : [],
        advice: fails
          ? "Keep the connection open and use it again (HTTP keep-alive, one session or agent)."
          : null,
      };
    },
  };
}
