import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { type Client, eventually } from "../../support/gateway-client.ts";
import {
  type FixtureOptions,
  filledWith,
  type GatewayFixture,
  startGateway,
} from "../../support/gateway-fixture.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { converse, openSocket } from "../../support/raw-http.ts";

const acme = issueToken("acme", { rateLimit: 100 });
let gateway: GatewayFixture;
let client: Client;

afterEach(() => gateway.close());

async function start(
  env: Readonly<Record<string, string>>,
  options: Pick<FixtureOptions, "seen" | "seenTokens"> = {},
): Promise<void> {
  gateway = await startGateway({ ...options, env, fill: filledWith([acme]) });
  ({ client } = gateway);
}

const get = (...headers: readonly string[]): string =>
  `GET /v1/programs HTTP/1.1\r\n${["Host: a", `Authorization: Bearer ${acme.plaintext}`, ...headers].join("\r\n")}\r\n\r\n`;
const ok = async (): Promise<boolean> => (await client.get("/v1/programs", acme.plaintext)).status === 200;
const openConnections = (): Promise<number> => gateway.metric("gateway_connections");

test("W15, W60 a header section that does not come in time gets the envelope, and the connection ends", async () => {
  await start({ HEADERS_TIMEOUT_SECONDS: "1" });
  const beganAt = performance.now();
  const { responses, ending } = await converse(gateway.api, {
    send: "GET /v1/programs HTTP/1.1\r\nHost: a\r\n",
  });
  expect(performance.now() - beganAt).toBeGreaterThan(900);
  // Without the setting it would have been 20 seconds.
  expect(performance.now() - beganAt).toBeLessThan(18_000);
  expect(responses.map(({ status }) => status)).toEqual([400]);
  expect(responses[0]?.header("connection")).toBe("close");
  expect(JSON.parse(responses[0]?.body.toString() ?? "").error.code).toBe("invalid_request");
  expect(ending).toBe("closed");
});

test("W60 a header section that trickles in is cut off all the same", async () => {
  await start({ HEADERS_TIMEOUT_SECONDS: "1" });
  const socket = openSocket(gateway.api);
  socket.on("error", () => {});
  socket.write("GET /v1/programs HTTP/1.1\r\nHost: a\r\n");
  const trickle = setInterval(() => socket.write("X-A: b\r\n"), 100);
  const [data] = await once(socket, "data");
  clearInterval(trickle);
  expect(String(data)).toMatch(/^HTTP\/1\.1 400 /);
  // What trickled in last may reset it.
  await new Promise<void>((resolve) => {
    for (const event of ["end", "error"]) socket.once(event, () => resolve());
    socket.resume();
  });
  socket.destroy();
});

test("an idle connection is closed without a word when its time is over", async () => {
  await start({ KEEP_ALIVE_TIMEOUT_SECONDS: "1" });
  const beganAt = performance.now();
  const { responses, rest, ending } = await converse(gateway.api, { send: get() });
  expect(responses.map(({ status }) => status)).toEqual([200]);
  expect(responses[0]?.header("keep-alive")).toBe("timeout=1");
  expect([rest.length, ending]).toEqual([0, "closed"]);
  expect(performance.now() - beganAt).toBeGreaterThan(900);
});

test("W61 a connection ends with its 10,000th request; what is pipelined behind it is neither answered nor counted", async () => {
  await start({});
  const socket = openSocket(gateway.api);
  let end = "";
  socket.on("data", (chunk: Buffer) => (end = (end + chunk.toString("latin1")).slice(-2000)));
  const answers = (): number => gateway.log.filter(({ msg }) => msg === "request").length;
  for (let sent = 200; sent <= 9800; sent += 200) {
    socket.write(get().repeat(200));
    await expect.poll(answers, { interval: 1 }).toBe(sent);
  }
  socket.write(get().repeat(250));
  await once(socket, "end");
  socket.destroy();
  expect(answers()).toBe(10_000);
  expect(end.match(/Connection: close/g)).toHaveLength(1);
});

test("W61 connections above the limit are closed at once; those within it are served, and make room when they go", async () => {
  await start({ MAX_CONNECTIONS: "4" });
  const held = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const socket = openSocket(gateway.api);
      await once(socket, "connect");
      return socket;
    }),
  );
  await eventually(openConnections, (count) => count === 4);
  expect(await converse(gateway.api, { send: get() }).then(({ responses }) => responses)).toEqual([]);
  const [first] = held;
  first?.write(get());
  const [data] = await once(first ?? openSocket(gateway.api), "data");
  expect(String(data)).toMatch(/^HTTP\/1\.1 200 /);
  first?.destroy();
  await eventually(openConnections, (count) => count === 3);
  expect(await ok()).toBe(true);
  for (const socket of held) socket.destroy();
});

test("W61 a client that sends request after request without waiting is cut; log and metric tell, and nobody else waits", async () => {
  await start({});
  const flood = Buffer.from("GET /v1/programs HTTP/1.1\r\nHost: a\r\n\r\n".repeat(250_000));
  const flooding = openSocket(gateway.api);
  // Cutting it resets it, since not all of it was read.
  const closed = new Promise((resolve) => flooding.on("error", () => {}).once("close", resolve));
  flooding.pause().write(flood);
  expect(await ok()).toBe(true);
  await closed;
  expect(await gateway.metric('gateway_connections_cut_total{cause="too_many_waiting"}')).toBe(1);
  expect(gateway.log.filter(({ causeCode }) => causeCode === "too_many_waiting")).toMatchObject([
    { requestId: expect.any(String), msg: "request", isCut: true, bytes: 0 },
  ]);
  // What was answered before the cut is little beside what was sent.
  expect(gateway.log.length).toBeLessThan(10_000);
});
