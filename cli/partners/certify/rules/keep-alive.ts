import type { ForeignConnections, Rule } from "../rule.ts";

/** A request that follows within this time should find a connection open, since clients keep one for at least some seconds. */
const promptMs = 2000;
/** Fewer prompt requests are too few to judge. */
const minPrompt = 5;

const unjudged: Readonly<Record<ForeignConnections, string>> = {
  proxied: "The gateway saw a proxy's connections.",
  shared:
    "Its connections also carry other tokens: they belong to a proxy, or to one client with several tokens. For the latter use --direct.",
};

/** A request that soon follows another one uses an open connection. */
export function keepAliveRule(): Rule {
  let lastEndMs = Number.NEGATIVE_INFINITY;
  return {
    breaks({ nth, beganMs, endedMs }) {
      const isPrompt = beganMs - lastEndMs <= promptMs;
      lastEndMs = Math.max(lastEndMs, endedMs);
      return nth === null || !isPrompt ? undefined : nth === 1;
    },
    judgement: (prompt, opened, foreign) => ({
      isSeen: foreign === undefined && prompt >= minPrompt,
      // A client that sends requests in parallel opens several connections at first.
      fails: opened * 2 > prompt,
      summary:
        foreign === undefined
          ? `Of ${prompt} requests that closely followed another, ${opened} opened a new connection.`
          : unjudged[foreign],
      counts: { prompt, newConnections: opened },
      advice: "Keep the connection open and use it again (HTTP keep-alive, one session or agent).",
    }),
  };
}
