import { afterEach, expect, test } from "vitest";
import type { Answer, Client } from "../../support/gateway-client.ts";
import { filledWith, type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { type IssuedToken, issueToken } from "../../support/gateway-tokens.ts";
import { type SetClocks, setClocks } from "../../support/set-clocks.ts";

let gateway: GatewayFixture;
let client: Client;
let clocks: SetClocks;

afterEach(() => gateway.close());

async function start(tokens: readonly IssuedToken[], env: Readonly<Record<string, string>>): Promise<void> {
  clocks = setClocks();
  gateway = await startGateway({ clocks, env, fill: filledWith(tokens) });
  ({ client } = gateway);
}

const remaining = (answer: Answer): number => Number(/r=(\d+)/.exec(answer.headers.ratelimit ?? "")?.[1]);
const get = (token: IssuedToken, path = "/v1/programs"): Promise<Answer> => client.get(path, token.plaintext);

test("W50 a token gets so many requests per window, then 429 with the seconds until it ends, then a new window", async () => {
  const token = issueToken("acme");
  await start([token], { RATE_LIMIT_REQUESTS: "3", RATE_LIMIT_WINDOW_SECONDS: "2" });
  const answers: Answer[] = [];
  for (let at = 0; at < 5; at += 1) answers.push(await get(token));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
  expect(answers.map(remaining)).toEqual([2, 1, 0, 0, 0]);
  const [first, , , refused] = answers;
  expect(first?.headers["ratelimit-policy"]).toBe('"default";q=3;w=2');
  expect(first?.headers["retry-after"]).toBeUndefined();
  expect(refused?.code).toBe("rate_limit_exceeded");
  expect(refused?.headers["retry-after"]).toMatch(/^[12]$/);
  expect(refused?.headers.ratelimit).toBe(`"default";r=0;t=${refused?.headers["retry-after"]}`);
  clocks.advance(1999);
  expect((await get(token)).status).toBe(429);
  clocks.advance(1);
  const next = await get(token);
  expect([next.status, remaining(next)]).toEqual([200, 2]);
});

test("W52 the three resources share one counter, and 400, 403 and 404 behind the token count too", async () => {
  const token = issueToken("acme");
  const scopeless = issueToken("acme", { scopes: ["other"] });
  await start([token, scopeless], { RATE_LIMIT_REQUESTS: "5" });
  const paths = [
    "/v1/programs",
    "/v1/programs/p1",
    "/api/v1/partner/programs",
    "/v1/programs/none",
    "/v1/programs/%zz",
  ];
  const answers: Answer[] = [];
  for (const path of [...paths, "/v1/programs"]) answers.push(await get(token, path));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 400, 429]);
  expect(answers.map(remaining)).toEqual([4, 3, 2, 1, 0, 0]);
  for (let at = 0; at < 5; at += 1) expect((await get(scopeless)).status).toBe(403);
  expect((await get(scopeless)).status).toBe(429);
});

test("W10 a refused request behind 429 is not looked at any further: not its scope, not its id", async () => {
  const scopeless = issueToken("acme", { scopes: ["other"], rateLimit: 1 });
  await start([scopeless], {});
  await get(scopeless);
  expect((await get(scopeless, "/v1/programs/%zz")).status).toBe(429);
});

test("W52 requests that fail before or at the token are not counted", async () => {
  const token = issueToken("acme");
  await start([token], { RATE_LIMIT_REQUESTS: "5" });
  expect(remaining(await get(token))).toBe(4);
  for (let at = 0; at < 20; at += 1) {
    expect((await get(token, "/v1/unknown")).status).toBe(404);
    expect((await client.get("/v1/programs")).status).toBe(401);
    expect((await get(issueToken("acme"))).status).toBe(401);
    const posted = await fetch(`${gateway.api}/v1/programs`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token.plaintext}` },
    });
    expect(posted.status).toBe(405);
  }
  expect(remaining(await get(token))).toBe(3);
});

test("W50, T5 a token's own limit replaces the general one, and tokens do not share counters", async () => {
  const small = issueToken("acme", { rateLimit: 2 });
  const general = issueToken("acme");
  await start([small, general], { RATE_LIMIT_REQUESTS: "10" });
  expect((await get(small)).headers["ratelimit-policy"]).toBe('"default";q=2;w=60');
  expect((await get(small)).status).toBe(200);
  expect((await get(small)).status).toBe(429);
  expect((await get(general)).headers["ratelimit-policy"]).toBe('"default";q=10;w=60');
  expect(remaining(await get(general))).toBe(8);
});
