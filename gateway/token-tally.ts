import type { TokenId } from "../core/ids.ts";

/** Answers counted by token, so that it shows who uses the API and whose requests fail, without reading the log. */
export interface TokenTally {
  add(tokenId: TokenId, status: number): void;
  /** Lines of the Prometheus text format. */
  lines(): string[];
}

/**
 * The first `maxTokens` tokens that make requests have a count of their own for as long as the process lives; the rest
 * share one. Labels must not grow without bound, and a count must never fall.
 */
export function createTokenTally(maxTokens = 1000): TokenTally {
  const tokens = new Map<string, ClassCounts>();
  const rest = newCounts();

  function newToken(tokenId: TokenId): ClassCounts {
    if (tokens.size >= maxTokens) return rest;
    const counts = newCounts();
    tokens.set(tokenId, counts);
    return counts;
  }

  return {
    add(tokenId, status) {
      const counts = tokens.get(tokenId) ?? newToken(tokenId);
      if (status < 300) counts.successes += 1;
      else if (status < 500) counts.refusals += 1;
      else counts.faults += 1;
    },

    lines: () => [
      `# HELP ${counter} Answers to requests with a token of the registry, by token and class of the HTTP status.`,
      `# TYPE ${counter} counter`,
      ...[...tokens, ["other", rest] as const].flatMap(([token, counts]) => tokenLines(token, counts)),
    ],
  };
}

interface ClassCounts {
  successes: number;
  refusals: number;
  faults: number;
}

const counter = "gateway_token_requests_total";

function newCounts(): ClassCounts {
  return { successes: 0, refusals: 0, faults: 0 };
}

function tokenLines(token: string, { successes, refusals, faults }: ClassCounts): string[] {
  const classes = [
    ["2xx", successes],
    ["4xx", refusals],
    ["5xx", faults],
  ] as const;
  return classes.flatMap(([status, count]) =>
    count === 0 ? [] : [`${counter}{token="${token}",status="${status}"} ${count}`],
  );
}
