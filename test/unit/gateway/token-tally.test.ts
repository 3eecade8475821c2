import { expect, test } from "vitest";
import { parseTokenId, type TokenId } from "../../../core/ids.ts";
import { createTokenTally } from "../../../gateway/token-tally.ts";

const counted = (lines: readonly string[]): string[] => lines.filter((line) => !line.startsWith("#"));
const tokenId = (number: number): TokenId => parseTokenId(`tok_000000000000000${number}`);

test("answers are counted by token and class of the status", () => {
  const tally = createTokenTally();
  for (const status of [200, 200, 404, 429, 500]) tally.add(tokenId(1), status);
  tally.add(tokenId(2), 401);
  expect(counted(tally.lines())).toEqual([
    'gateway_token_requests_total{token="tok_0000000000000001",status="2xx"} 2',
    'gateway_token_requests_total{token="tok_0000000000000001",status="4xx"} 2',
    'gateway_token_requests_total{token="tok_0000000000000001",status="5xx"} 1',
    'gateway_token_requests_total{token="tok_0000000000000002",status="4xx"} 1',
  ]);
});

test("beyond a number of tokens the further ones share a count, and no token ever changes its own", () => {
  const tally = createTokenTally(2);
  for (const number of [1, 2, 3, 4, 1, 3]) tally.add(tokenId(number), 200);
  expect(counted(tally.lines())).toEqual([
    'gateway_token_requests_total{token="tok_0000000000000001",status="2xx"} 2',
    'gateway_token_requests_total{token="tok_0000000000000002",status="2xx"} 1',
    'gateway_token_requests_total{token="other",status="2xx"} 3',
  ]);
});
