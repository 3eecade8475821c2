import { once } from "node:events";
import { rename } from "node:fs/promises";
import { createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { tokensKey } from "../../../core/ground/object-key.ts";
import { createClient, eventually } from "../../support/gateway-client.ts";
import { filledWith } from "../../support/gateway-fixture.ts";
import { type GatewayFleet, startFleet } from "../../support/gateway-fleet.ts";
import { type GatewayProcess, runGateway } from "../../support/gateway-process.ts";
import { issueToken, revoked } from "../../support/gateway-tokens.ts";
import { converse, openSocket, parseResponses } from "../../support/raw-http.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
let fleet: GatewayFleet | undefined;

afterEach(async () => {
  await fleet?.close();
  fleet = undefined;
});

/**
 * More than the system takes for a client that does not read: Linux lets loopback's buffers grow to some 38
 * MB.
 */
const aboveSocketBuffers = 64 * 1024 * 1024;

async function start(
  env: Readonly<Record<string, string>> = {},
  listBytes = 4 * 1024 * 1024,
  openFiles?: number,
): Promise<GatewayProcess> {
  fleet = await startFleet({
    size: 1,
    ...(openFiles === undefined ? {} : { openFiles }),
    env: { CACHE_MAX_MB: "1", ...env },
    fill: filledWith([acme], { minBytes: listBytes }),
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
    expect([responses.map(({ status }) => status), await gateway.ended]).toEqual([[200], 0]);
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

test("W188 with few files to open, hundreds of clients that read nothing leave some for the admin listener and the registry", async () => {
  const gateway = await start({ TOKEN_REFRESH_MS: "250" }, aboveSocketBuffers, 300);
  const asking = openSocket(gateway.api);
  await once(asking, "connect");
  const clients = Array.from({ length: 400 }, () => openSocket(gateway.api));
  for (const client of clients) {
    client.on("error", () => {});
    client.write(get("/v1/programs"));
  }
  const metric = async (pattern: RegExp): Promise<number> => {
    const metrics = await fetch(`${gateway.admin}/metrics`, { headers: { connection: "close" } });
    return Number(pattern.exec(await metrics.text())?.[1]);
  };
  await expect.poll(() => metric(/^gateway_connections (\d+)$/m)).toBeGreaterThanOrEqual(97);
  await expect.poll(() => metric(/^process_open_fds (\d+)$/m)).toBeGreaterThan(100);
  await fleet?.tokens.write([revoked(acme)]);
  await eventually(
    async () => {
      asking.write(get("/v1/programs/none"));
      const [answer] = await once(asking, "data");
      return String(answer).slice(0, 12);
    },
    (status) => status === "HTTP/1.1 401",
  );
  asking.destroy();
  for (const client of clients) client.destroy();
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

test("D132 --check-config names a misspelt setting, with the same exit status", async () => {
  const hint = "Hint: RATE_LIMIT is set and is no setting. Did you mean RATE_LIMIT_REQUESTS?\n";
  const [good, bad] = [
    await runGateway(["--check-config"], { RATE_LIMIT: "9" }),
    { RATE_LIMIT: "9", PORT: "x" },
  ];
  expect(good).toMatchObject({ status: 0, stderr: hint });
  expect(await runGateway(["--check-config"], bad)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(hint),
  });
});

test("wrong settings: every fault at once, no secret repeated, exit status 2; wrong usage, too", async () => {
  const env = { PORT: "x", STORE_URL: "ftp://a", REDIS_URL: "http://u:hidden@h", TOKEN_REFRESH_MS: "1" };
  for (const args of [[], ["--check-config"]]) {
    const { status, stderr, stdout } = await runGateway(args, env);
    expect([status, stdout]).toEqual([2, ""]);
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

/** Each round issues a token and revokes it; more of them for a figure: `REVOCATION_ROUNDS=50`. */
const rounds = Number(process.env.REVOCATION_ROUNDS ?? 3);
/**
 * A machine may have other things to do for half a second, now and then; a gateway that polls too seldom is
 * late each time.
 */
const median = (ms: readonly number[]): number =>
  ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)] ?? NaN;

test("T8 by default a token comes and goes on every gateway within one second", async () => {
  fleet = await startFleet({ size: 2, env: { LOG_LEVEL: "silent" }, fill: filledWith([acme]) });
  const { gateways, tokens } = fleet;
  const clients = gateways.map(({ api }) => createClient(api));
  let isOver = false;
  const load = clients.map(async (client) => {
    while (!isOver) expect((await client.get("/v1/programs/p1", acme.plaintext)).status).toBe(200);
  });
  const everywhere = async (token: string, status: number): Promise<number> => {
    const beganAt = performance.now();
    await Promise.all(
      clients.map((client) =>
        eventually(
          () => client.get("/v1/programs", token),
          (answer) => answer.status === status,
        ),
      ),
    );
    return performance.now() - beganAt;
  };
  const issues: number[] = [];
  const revocations: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const token = issueToken("acme", { rateLimit: 1_000_000 });
    await tokens.write([acme, token]);
    issues.push(await everywhere(token.plaintext, 200));
    await tokens.write([acme, revoked(token)]);
    revocations.push(await everywhere(token.plaintext, 401));
  }
  isOver = true;
  await Promise.all(load);
  for (const client of clients) client.close();
  expect(median(issues)).toBeLessThan(1000);
  expect(median(revocations)).toBeLessThan(1000);
  if (process.env.REVOCATION_ROUNDS === undefined) return;
  console.log(
    `worst of ${rounds}, ms: new token ${Math.max(...issues)}, revoked token ${Math.max(...revocations)}`,
  );
});

test("T9 a process that was stopped trusts no token that it could not confirm since", async () => {
  const gateway = await start({ TOKEN_MAX_STALE_SECONDS: "1", TOKEN_REFRESH_MS: "100" }, 0);
  const folder = fleet?.directory;
  const socket = openSocket(gateway.api);
  const ask = async (): Promise<string> => {
    const answer = once(socket, "data");
    socket.write(`GET /v1/programs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${acme.plaintext}\r\n\r\n`);
    return String((await answer)[0]).slice(9, 12);
  };
  // A machine that is busy may stop it for so long, too.
  await eventually(ask, (status) => status === "200");
  gateway.signal("SIGSTOP");
  await rename(`${folder}/${tokensKey}`, `${folder}/auth/tokens.bak`);
  const answer = ask();
  // The bound itself has to pass while the process cannot notice.
  await new Promise((resolve) => setTimeout(resolve, 1300));
  gateway.signal("SIGCONT");
  expect(await answer).toBe("500");
  await rename(`${folder}/auth/tokens.bak`, `${folder}/${tokensKey}`);
  await eventually(ask, (status) => status === "200");
  socket.destroy();
});
