import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { type Client, createClient, eventually } from "../../support/gateway-client.ts";
import {
  brokenAfter,
  endedAfter,
  type Fault,
  type FaultyStore,
  faultyStore,
  flipped,
  missing,
  replacedBy,
  stalled,
  stalledAfter,
} from "../../support/gateway-faulty-store.ts";
import { type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { type PublishedSnapshot, publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { converse, openSocket } from "../../support/raw-http.ts";

const acme = issueToken("acme");
const listBytes = 8 * 1024 * 1024;
let gateway: GatewayFixture;
let client: Client;
let seen: FaultyStore;
let snapshot: PublishedSnapshot;

afterEach(async () => {
  client.close();
  await gateway.close();
});

/** A gateway whose cache takes bodies up to 64 KiB, with a list far above that. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  gateway = await startGateway({
    env: { CACHE_MAX_MB: "1", ...env },
    async fill(store, tokens) {
      await tokens.write([acme]);
      snapshot = await publishSnapshot(store, "acme", { programIds: ["p1"], minBytes: listBytes });
    },
    seen(store) {
      seen = faultyStore(store);
      return seen;
    },
    seenTokens: (store) => store,
  });
  client = createClient(gateway.api);
}

const requestBytes = (version: string, ...headers: readonly string[]): string =>
  `GET /v1/programs HTTP/${version}\r\n${["Host: a", `Authorization: Bearer ${acme.plaintext}`, ...headers].join("\r\n")}\r\n\r\n`;
const listReads = (): number => seen.asked.filter((key) => key.endsWith("/v1/programs.json")).length;
const lastLine = (): unknown => gateway.log.findLast(({ msg }) => msg === "request");

test("a body too large for the cache comes whole, with its length, and is not kept", async () => {
  await start();
  for (let at = 1; at <= 2; at += 1) {
    const answer = await client.get("/v1/programs", acme.plaintext);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-length"]).toBe(String(snapshot.list.length));
    expect(answer.headers.vary).toBe("Accept-Encoding");
    expect(answer.headers["snapshot-id"]).toBe(snapshot.snapshotId);
    expect(answer.body.equals(snapshot.list)).toBe(true);
    expect(listReads()).toBe(at);
  }
  expect(await eventually(lastLine, (line) => line !== undefined)).toMatchObject({
    status: 200,
    bytes: snapshot.list.length,
    objectKey: snapshot.manifest.list.key,
  });
});

test("two pipelined streams come one after the other", async () => {
  await start();
  const { responses } = await converse(gateway.api, {
    send: requestBytes("1.1", "X-Request-Id: 1") + requestBytes("1.1", "X-Request-Id: 2"),
    responses: 2,
  });
  expect(responses.map((answer) => answer.header("x-request-id"))).toEqual(["1", "2"]);
  for (const answer of responses) expect(answer.body.equals(snapshot.list)).toBe(true);
});

const cuts: readonly (readonly [string, Fault])[] = [
  ["whose last byte is another", flipped],
  ["that ends too early without an error", endedAfter(listBytes / 2)],
  ["that breaks off with an error", brokenAfter(listBytes / 2)],
  ["that stalls", stalledAfter(listBytes / 2)],
];
for (const [name, fault] of cuts) {
  test(`a stream ${name} is cut before its end, and the log says why`, async () => {
    await start(name === "that stalls" ? { SEND_STALL_SECONDS: "1" } : {});
    seen.breakKeys(/v1\/programs\.json$/, fault);
    const { responses, rest } = await converse(gateway.api, {
      send: requestBytes("1.1") + requestBytes("1.1", "X-Request-Id: behind"),
    });
    expect(responses).toEqual([]);
    expect(rest.toString("latin1", 0, 12)).toBe("HTTP/1.1 200");
    expect(rest.includes("behind")).toBe(false);
    const bodyBytes = rest.length - rest.indexOf("\r\n\r\n") - 4;
    expect(bodyBytes).toBeLessThan(snapshot.list.length);
    const line = await eventually(lastLine, (seenLine) => seenLine !== undefined);
    expect(line).toMatchObject({ status: 200, isCut: true });
    if (name !== "that stalls")
      expect(line).toMatchObject({ cause: expect.stringMatching(/digest|ended after|broken/) });
    await eventually(seen.openBodies, (open) => open === 0);
  });
}

for (const [name, fault] of [
  ["that is missing", missing],
  ["of another size", replacedBy("x".repeat(100_000))],
  ["that breaks before its first byte", brokenAfter(0)],
] as const) {
  test(`a stream ${name} is a 500, since nothing is sent yet`, async () => {
    await start();
    seen.breakKeys(/v1\/programs\.json$/, fault);
    const answer = await client.get("/v1/programs", acme.plaintext);
    expect(answer.status).toBe(500);
    expect((await client.get("/v1/programs/none", acme.plaintext)).status).toBe(404);
    await eventually(seen.openBodies, (open) => open === 0);
  });
}

test("a client that leaves frees the store's stream at once, even a stalled one", async () => {
  await start({ STORE_TIMEOUT_MS: "60000" });
  seen.breakKeys(/v1\/programs\.json$/, stalledAfter(listBytes / 2));
  const socket = openSocket(gateway.api);
  socket.write(requestBytes("1.1"));
  await once(socket, "data");
  expect(seen.openBodies()).toBe(1);
  socket.destroy();
  await eventually(seen.openBodies, (open) => open === 0);
  expect(await eventually(lastLine, (line) => line !== undefined)).toMatchObject({
    status: 200,
    isCut: true,
  });
});

test("a client that leaves before the store has answered ends the call to the store", async () => {
  await start({ STORE_TIMEOUT_MS: "60000" });
  let isAborted = false;
  seen.breakKeys(/v1\/programs\.json$/, (answer, options) => {
    options?.signal?.addEventListener("abort", () => {
      isAborted = true;
    });
    return stalled(answer, options);
  });
  const socket = openSocket(gateway.api);
  socket.write(requestBytes("1.1"));
  await eventually(listReads, (count) => count === 1);
  socket.resetAndDestroy();
  await eventually(() => isAborted, Boolean);
  const line = await eventually(lastLine, (seenLine) => seenLine !== undefined);
  expect(line).toMatchObject({ bytes: 0, isCut: true, causeCode: "client_left" });
});

test("a client that leaves while the disk still reads is cut and logged, and no response is begun for it", async () => {
  let reading = (): void => {};
  let onRead = (): void => {};
  const isReading = new Promise<void>((resolve) => {
    reading = resolve;
  });
  const read = new Promise<void>((resolve) => {
    onRead = resolve;
  });
  let readings = 0;
  await start();
  seen.breakKeys(/v1\/programs\.json$/, async (answer) => {
    const result = await answer();
    readings += 1;
    if (result.kind !== "object" || result.forEachChunk === undefined || readings === 1) return result;
    const { forEachChunk } = result;
    return {
      ...result,
      forEachChunk: (take) =>
        forEachChunk(async (chunk) => {
          reading();
          await read;
          await take(chunk);
        }),
    };
  });
  // From then on the file is known, and read without a digest.
  expect((await client.get("/v1/programs", acme.plaintext)).status).toBe(200);
  const socket = openSocket(gateway.api);
  socket.write(requestBytes("1.1", "X-Request-Id: left"));
  await isReading;
  socket.resetAndDestroy();
  await eventually(
    async () => (await fetch(`${gateway.admin}/metrics`)).text(),
    (text) => /^gateway_connections 1$/m.test(text),
  );
  onRead();
  const line = await eventually(
    lastLine,
    (seenLine) => (seenLine as { requestId?: string }).requestId === "left",
  );
  expect(line).toMatchObject({ bytes: 0, isCut: true, causeCode: "client_left" });
});

test("a client that closes its side and waits gets its answer, unless the store stalls", async () => {
  await start();
  const whole = await converse(gateway.api, { send: requestBytes("1.1"), halfClose: true });
  expect(whole.responses[0]?.body.equals(snapshot.list)).toBe(true);
  expect(whole.ending).toBe("closed");
  seen.breakKeys(/v1\/programs\.json$/, stalledAfter(listBytes / 2));
  const cut = await converse(gateway.api, { send: requestBytes("1.1"), halfClose: true });
  expect(cut.responses).toEqual([]);
  await eventually(seen.openBodies, (open) => open === 0);
});

test("a client that does not read holds back the store's stream, and no other client", async () => {
  await start();
  let taken = 0;
  seen.breakKeys(/v1\/programs\.json$/, async (answer) => {
    const result = await answer();
    if (result.kind !== "object") return result;
    result.body.on("data", (chunk: Buffer) => {
      taken += chunk.length;
    });
    result.body.pause();
    return result;
  });
  const socket = openSocket(gateway.api);
  socket.write(requestBytes("1.1"));
  await once(socket, "readable");
  let before = -1;
  await eventually(
    async () => {
      const isStill = taken === before;
      before = taken;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return isStill;
    },
    (isStill) => isStill,
  );
  expect(taken).toBeLessThan(snapshot.list.length);
  expect((await client.get("/v1/programs/none", acme.plaintext)).status).toBe(404);
  let received = 0;
  socket.on("data", (chunk) => {
    received += chunk.length;
  });
  await eventually(
    () => received,
    (bytes) => bytes > snapshot.list.length,
  );
  socket.destroy();
});
