import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createClient as createRedisClient } from "redis";
import { afterEach, describe, expect, test } from "vitest";
import { FleetCounter } from "../../../gateway/request/fleet-counter.ts";
import type { WindowCounter } from "../../../gateway/request/quota.ts";
import { type Answer, type Client, createClient, eventually } from "../../support/gateway-client.ts";
import { filledWith, type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { type IssuedToken, issueToken } from "../../support/gateway-tokens.ts";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";

const redisUrl = process.env.TEST_REDIS_URL ?? "";
const title =
  redisUrl === ""
    ? "one counter for a fleet (skipped: TEST_REDIS_URL is not set)"
    : "one counter for a fleet";

describe.skipIf(redisUrl === "")(title, () => {
  const gateways: GatewayFixture[] = [];
  const clients: Client[] = [];
  let proxy: TcpProxy;

  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
    await proxy.refuse();
  });

  /**
   * Starts a gateway that counts in Redis, through the proxy, and waits for it longer than a busy machine
   * takes. Token ids are random, and so are the keys.
   */
  async function joinFleet(
    token: IssuedToken,
    env: Readonly<Record<string, string>> = {},
    redisMs = 5000,
  ): Promise<Client> {
    const gateway = await startGateway({
      env: { REDIS_URL: proxy.url, ...env },
      waits: { redisMs },
      fill: filledWith([token]),
    });
    const client = createClient(gateway.api);
    gateways.push(gateway);
    clients.push(client);
    return client;
  }

  const shared = async (at = 0): Promise<boolean> => {
    const text = await (await fetch(`${gateways[at]?.admin}/metrics`)).text();
    return /^gateway_limiter_shared 1$/m.test(text);
  };
  const remaining = (answer: Answer): number => Number(/r=(\d+)/.exec(answer.headers.ratelimit ?? "")?.[1]);
  const logged = (text: string): boolean => gateways.some((gateway) => gateway.logText().includes(text));

  test("W53 is exact under concurrency over several gateways", async () => {
    proxy = await startTcpProxy(redisUrl);
    const token = issueToken("acme", { rateLimit: 100 });
    for (let at = 0; at < 3; at += 1) {
      await joinFleet(token);
      await eventually(() => shared(at), Boolean);
    }
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, at) => clients[at % 3]?.get("/v1/programs", token.plaintext)),
    );
    const accepted = answers.filter((answer) => answer?.status === 200);
    expect(accepted).toHaveLength(100);
    // No two requests have the same place in the window.
    expect(new Set(accepted.map((answer) => answer && remaining(answer))).size).toBe(100);
    expect(answers.filter((answer) => answer?.status === 429)).toHaveLength(200);
  });

  test("P100 a password that is rotated in REDIS_URL_FILE is used by the next connection", async () => {
    proxy = await startTcpProxy(redisUrl);
    const folder = await mkdtemp(join(tmpdir(), "redis-url-"));
    const administrator = createRedisClient({ url: redisUrl });
    const [user, file] = [`rotated-${randomUUID()}`, join(folder, "url")];
    const setPassword = async (password: string): Promise<void> => {
      await administrator.aclSetUser(user, ["on", "resetpass", `>${password}`, "~*", "&*", "+@all"]);
      const url = new URL(proxy.url);
      Object.assign(url, { username: user, password });
      await writeFile(file, `${url.href}\n`);
    };
    try {
      await administrator.connect();
      await setPassword("first");
      await joinFleet(issueToken("acme"), { REDIS_URL: "", REDIS_URL_FILE: file });
      await eventually(() => shared(), Boolean);
      await setPassword("second");
      await proxy.refuse();
      await expect.poll(() => shared()).toBe(false);
      await proxy.restore();
      await eventually(() => shared(), Boolean);
    } finally {
      await administrator.aclDelUser(user);
      administrator.destroy();
      await rm(folder, { recursive: true });
    }
  });

  test("W53 Redis goes away and comes back: no request fails, and the fleet's count goes on", async () => {
    proxy = await startTcpProxy(redisUrl);
    const token = issueToken("acme", { rateLimit: 1000 });
    const client = await joinFleet(token);
    await eventually(() => shared(), Boolean);
    for (let at = 0; at < 10; at += 1) await client.get("/v1/programs", token.plaintext);
    await proxy.refuse();
    for (let at = 0; at < 20; at += 1)
      expect((await client.get("/v1/programs", token.plaintext)).status).toBe(200);
    expect(await shared()).toBe(false);
    await proxy.restore();
    await eventually(() => shared(), Boolean);
    expect(remaining(await client.get("/v1/programs", token.plaintext))).toBe(989);
    // The log says so at the beginning and at the end of the outage.
    expect(gateways[0]?.logText().match(/counted in Redis, for the whole fleet/g)).toHaveLength(2);
  });

  test("Redis that does not answer delays a request by its deadline, and the next ones not at all", async () => {
    proxy = await startTcpProxy(redisUrl);
    const token = issueToken("acme", { rateLimit: 1000 });
    const client = await joinFleet(token, {}, 1000);
    await eventually(() => shared(), Boolean);
    await client.get("/v1/programs", token.plaintext);
    proxy.hang();
    const beganAt = performance.now();
    expect((await client.get("/v1/programs", token.plaintext)).status).toBe(200);
    expect(performance.now() - beganAt).toBeGreaterThan(950);
    const nextAt = performance.now();
    for (let at = 0; at < 20; at += 1)
      expect((await client.get("/v1/programs", token.plaintext)).status).toBe(200);
    // Twenty times the deadline, if each had to wait.
    expect(performance.now() - nextAt).toBeLessThan(19_000);
    await proxy.restore();
    await eventually(() => shared(), Boolean);
  });

  test("a password that Redis refuses: counted by the process, the cause in the log, the password not", async () => {
    proxy = await startTcpProxy(redisUrl);
    const token = issueToken("acme", { rateLimit: 5 });
    const url = new URL(proxy.url);
    url.username = "nobody";
    url.password = "canary-password";
    const client = await joinFleet(token, { REDIS_URL: url.href });
    expect((await client.get("/v1/programs", token.plaintext)).status).toBe(200);
    await eventually(() => logged("Redis is away"), Boolean);
    expect([await shared(), logged("canary-password")]).toEqual([false, false]);
  });
});

test.skipIf(redisUrl === "")(
  "an answer that came while the process could not read it is no reason to give Redis up",
  async () => {
    const insurance: WindowCounter = { hit: async () => ({ consumedPoints: -1, msBeforeNext: 0 }) };
    const counter = new FleetCounter({
      url: () => new URL(redisUrl),
      windowSeconds: 60,
      timeoutMs: 200,
      insurance,
      logger: pino({ level: "silent" }),
    });
    const key = randomUUID();
    const { consumedPoints } = await eventually(
      () => counter.hit(key),
      (counted) => counted.consumedPoints > 0,
    );
    const state = counter.hit(key);
    // The client writes in an immediate of its own, which this one comes behind.
    await new Promise(process.nextTick);
    await new Promise(setImmediate);
    const heldUntil = performance.now() + 500;
    while (performance.now() < heldUntil);
    expect((await state).consumedPoints).toBe(consumedPoints + 1);
    expect(counter.isShared()).toBe(true);
    counter.close();
  },
);
