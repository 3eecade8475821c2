import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createClient, eventually } from "../../support/gateway-client.ts";
import { type GatewayFleet, startFleet } from "../../support/gateway-fleet.ts";
import { type GatewayProcess, runGateway } from "../../support/gateway-process.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { converse, openSocket, parseResponses } from "../../support/raw-http.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
let fleet: GatewayFleet | undefined;

afterEach(async () => {
  await fleet?.close();
  fleet = undefined;
});

/** More than the system takes for a client that does not read: Linux lets loopback's buffers grow to some 38 MB. */
const aboveSocketBuffers = 64 * 1024 * 1024;

async function start(
  env: Readonly<Record<string, string>> = {},
  listBytes = 4 * 1024 * 1024,
): Promise<GatewayProcess> {
  fleet = await startFleet({
    size: 1,
    env: { CACHE_MAX_MB: "1", ...env },
    async fill(store, tokens) {
      await tokens.write([acme]);
      await publishSnapshot(store, "acme", { programIds: ["p1"], minBytes: listBytes });
    },
  });
  const [gateway] = fleet.gateways;
  if (gateway === undefined) throw new Error("no gateway");
  return gateway;
}

const get = (path: string, ...headers: readonly string[]): string =>
  `GET ${path} HTTP/1.1\r\n${["Host: a", `Authorization: Bearer ${acme.plaintext}`, ...headers].join("\r\n")}\r\n\r\n`;

test("says in one line where it listens, serves, and ends with 0 on SIGTERM", async () => {
  const gateway = await start();
  const [line, ...more] = gateway.output().trim().split("\n");
  expect(more).toEqual([]);
  expect(JSON.parse(line ?? "")).toMatchObject({
    level: "info",
    msg: `listening on ${gateway.api}, admin on ${gateway.admin}`,
  });
  const client = createClient(gateway.api);
  expect((await client.get("/v1/programs/none", acme.plaintext, { "X-Request-Id": "logged" })).status).toBe(
    404,
  );
  gateway.signal("SIGTERM");
  expect(await gateway.ended).toBe(0);
  expect(gateway.output()).toContain('"requestId":"logged"');
  client.close();
});

test.each([
  ["streamed from the store", "1"],
  ["held in memory", "256"],
])(
  "on SIGTERM an answer under way, %s, is finished; idle connections end, and nothing new is taken",
  async (_name, cacheMaxMb) => {
    const gateway = await start({ CACHE_MAX_MB: cacheMaxMb });
    const unused = openSocket(gateway.api);
    const idle = openSocket(gateway.api);
    idle.write(get("/unknown"));
    await once(idle, "data");
    const reading = openSocket(gateway.api);
    reading.write(get("/v1/programs"));
    await once(reading, "readable");
    gateway.signal("SIGINT");
    await Promise.all([once(unused.resume(), "end"), once(idle.resume(), "end")]);
    await expect(fetch(`${gateway.api}/`)).rejects.toThrow();
    const chunks: Buffer[] = await reading.toArray();
    const { responses } = parseResponses(Buffer.concat(chunks), 0);
    expect(responses.map(({ status }) => status)).toEqual([200]);
    expect(await gateway.ended).toBe(0);
  },
);

test("what is not finished within the grace time is cut, and the exit status is 0 all the same", async () => {
  const gateway = await start({ SHUTDOWN_GRACE_SECONDS: "1" }, aboveSocketBuffers);
  const stuck = openSocket(gateway.api);
  stuck.write(get("/v1/programs"));
  await once(stuck, "readable");
  const beganAt = performance.now();
  gateway.signal("SIGTERM");
  expect(await gateway.ended).toBe(0);
  expect(performance.now() - beganAt).toBeGreaterThan(900);
  stuck.destroy();
});

test("W97 after SIGTERM a gateway is unready at once, and answers new connections until its delay is over", async () => {
  const gateway = await start({ SHUTDOWN_DELAY_SECONDS: "600" }, 0);
  const readiness = async () => (await fetch(`${gateway.admin}/readyz`)).status;
  expect(await readiness()).toBe(200);
  gateway.signal("SIGTERM");
  await eventually(readiness, (status) => status === 503);
  const { responses } = await converse(gateway.api, { send: get("/v1/programs") });
  expect(responses.map(({ status, header }) => [status, header("connection")])).toEqual([[200, "close"]]);
  expect((await fetch(`${gateway.admin}/healthz`)).status).toBe(200);
  // A second signal does not wait for the delay.
  gateway.signal("SIGTERM");
  expect(await gateway.ended).toBe(1);
});

test("W97 when the delay is over the gateway ends, and not before", async () => {
  const gateway = await start({ SHUTDOWN_DELAY_SECONDS: "1" }, 0);
  const beganAt = performance.now();
  gateway.signal("SIGTERM");
  expect(await gateway.ended).toBe(0);
  expect(performance.now() - beganAt).toBeGreaterThan(900);
});

test("goes on serving when nobody reads its log any more", async () => {
  const gateway = await start();
  gateway.dropOutput();
  const client = createClient(gateway.api);
  for (let at = 0; at < 1000; at += 1) {
    expect((await client.get("/v1/programs/none", acme.plaintext)).status).toBe(404);
  }
  await eventually(
    async () => (await fetch(`${gateway.admin}/metrics`)).text(),
    (text) => Number(/^gateway_log_lines_lost_total (\d+)$/m.exec(text)?.[1]) > 0,
  );
  client.close();
});

test("--help, --version and --check-config say what they should and end with 0", async () => {
  const help = await runGateway(["--help"], {});
  expect(help.status).toBe(0);
  for (const name of ["STORE_URL", "RATE_LIMIT_REQUESTS", "KEEP_ALIVE_TIMEOUT_SECONDS"]) {
    expect(help.stdout).toContain(name);
  }
  expect(await runGateway(["--version"], {})).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  const checked = await runGateway(["--check-config"], {
    PORT: "1234",
    REDIS_URL: "redis://u:hidden@cache.example",
  });
  expect(checked.status).toBe(0);
  expect(checked.stdout).toMatch(/^PORT +1234$/m);
  expect(checked.stdout).not.toContain("hidden");
});

test("wrong settings: every fault at once, no secret repeated, exit status 2; wrong usage, too", async () => {
  const env = { PORT: "x", STORE_URL: "ftp://a", REDIS_URL: "http://u:hidden@h", TOKEN_REFRESH_MS: "1" };
  for (const args of [[], ["--check-config"]]) {
    const { status, stderr, stdout } = await runGateway(args, env);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trim().split("\n")).toHaveLength(4);
    for (const name of Object.keys(env)) expect(stderr).toContain(name);
    expect(stderr).not.toContain("hidden");
  }
  for (const args of [["serve"], ["--help", "--version"], ["--json"], ["--port=1"]])
    expect(await runGateway(args, {})).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--help"),
    });
});

test("a port that is taken: exit status 1, with the reason", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";
  const { status, stderr } = await runGateway([], {
    PORT: port,
    ADMIN_PORT: "off",
    STORE_URL: "file:/nowhere",
  });
  taken.close();
  expect(status).toBe(1);
  expect(stderr).toContain(`127.0.0.1:${port}: another process listens there already. Change HOST or PORT.`);
});
