import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { type Answer, type Client, eventually } from "../../support/gateway-client.ts";
import {
  brokenAfter,
  endedAfter,
  type FaultyStore,
  faultyStore,
  flipped,
  missing,
  replacedBy,
  stalled,
  stalledAfter,
  unavailable,
} from "../../support/gateway-faulty-store.ts";
import { type FixtureOptions, type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { type PublishedSnapshot, publishManifest, publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { converse, openSocket } from "../../support/raw-http.ts";

const acme = issueToken("acme");
const listBytes = 8 * 1024 * 1024;
const listKey = /v1\/programs\.json$/;
const gzip = { "Accept-Encoding": "gzip" };
let gateway: GatewayFixture;
let client: Client;
let seen: FaultyStore;
let snapshot: PublishedSnapshot;

afterEach(() => gateway.close());

/** A gateway whose cache takes bodies up to 64 KiB: far less than the list, whose gzip form is far below. */
async function start({
  mark = "acme",
  env = {},
  // The form is waited for on any machine.
  waits = { packingMs: 60_000 },
}: FixtureOptions & { readonly mark?: string } = {}): Promise<void> {
  gateway = await startGateway({
    waits,
    env: { CACHE_MAX_MB: "1", ...env },
    async fill(store, tokens) {
      await tokens.write([acme]);
      snapshot = await publishSnapshot(store, "acme", { programIds: ["p1"], mark, minBytes: listBytes });
    },
    seen(store) {
      seen = faultyStore(store);
      return seen;
    },
    seenTokens: (store) => store,
  });
  ({ client } = gateway);
}

const list = (headers: Readonly<Record<string, string>> = gzip): Promise<Answer> =>
  client.get("/v1/programs", acme.plaintext, headers);
const requestBytes = (...headers: readonly string[]): string =>
  `GET /v1/programs HTTP/1.1\r\n${["Host: a", `Authorization: Bearer ${acme.plaintext}`, ...headers].join("\r\n")}\r\n\r\n`;
const listReads = (): number => seen.asked.filter((key) => listKey.test(key)).length;
const lines = () => gateway.log.filter(({ msg }) => msg === "request");
const lastLine = () => eventually(() => lines().at(-1), Boolean);
const noBodyIsOpen = () => eventually(seen.openBodies, (open) => open === 0);

function expectPacked({ status, headers, body }: Answer, bytes: Buffer): void {
  expect([status, headers["content-encoding"], headers.vary]).toEqual([200, "gzip", "Accept-Encoding"]);
  expect(headers["content-length"]).toBe(String(body.length));
  expect(gunzipSync(body).equals(bytes)).toBe(true);
}

function expectAsItIs({ status, headers, body }: Answer, bytes: Buffer): void {
  expect([status, headers["content-encoding"], headers.vary]).toEqual([200, undefined, "Accept-Encoding"]);
  expect(headers["content-length"]).toBe(String(bytes.length));
  expect(body.equals(bytes)).toBe(true);
}

test("a body too large for the cache is streamed; its gzip form is made and read once, however many ask at a time, and kept", async () => {
  await start();
  for (const answer of await Promise.all(Array.from({ length: 16 }, () => list())))
    expectPacked(answer, snapshot.list);
  expect(listReads()).toBe(1);
  const packed = await list();
  expectPacked(packed, snapshot.list);
  expect(await lastLine()).toMatchObject({
    bytes: packed.body.length,
    objectKey: snapshot.manifest.list.key,
  });
  expect(await gateway.metric('gateway_body_cache_lookups_total{result="hit"}')).toBe(1);
  for (let reads = 2; reads <= 3; reads += 1) {
    expectAsItIs(await list({}), snapshot.list);
    expect(listReads()).toBe(reads);
  }
  seen.breakKeys(listKey, unavailable);
  expectPacked(await list(), snapshot.list);
});

test("a new snapshot's form takes the place of the old one's; the same bytes are not packed again", async () => {
  await start();
  await list();
  const content = { programIds: ["p1"], generation: 2, mark: "second", minBytes: listBytes };
  const second = await publishSnapshot(gateway.store, "acme", content);
  const answer = await eventually(list, ({ headers }) => headers["snapshot-id"] === second.snapshotId);
  expectPacked(answer, second.list);
  expect(await gateway.metric("gateway_body_cache_bytes")).toBeLessThan(answer.body.length + 1024);
  seen.forget();
  await publishManifest(gateway.store, { ...second.manifest, generation: 3 });
  await eventually(list, () => seen.asked.some((key) => key.endsWith("manifest.json")));
  expectPacked(await list(), second.list);
  expect(listReads()).toBe(0);
});

for (const [name, fault, isSeenAtOnce] of [
  ["whose last byte is another", flipped, false],
  ["that ends too early without an error", endedAfter(listBytes / 2), false],
  ["that breaks off with an error", brokenAfter(listBytes / 2), false],
  ["that is missing", missing, true],
  ["of another size", replacedBy("x".repeat(100_000)), true],
] as const) {
  test(`P17 a body ${name}: no byte of its gzip form leaves, a stream of it is cut before its end, and the log says why`, async () => {
    await start();
    seen.breakKeys(listKey, fault);
    for (const answer of await Promise.all([list(), list()])) expect(answer.status).toBe(500);
    const why = /digest|ended after|broken|missing|manifest says|instead of/;
    expect(await lastLine()).toMatchObject({ status: 500, cause: expect.stringMatching(why) });
    if (isSeenAtOnce) expect((await list({})).status).toBe(500);
    else {
      const behind = requestBytes("X-Request-Id: behind");
      const { responses, rest } = await converse(gateway.api, {
        send: requestBytes("X-Request-Id: cut") + behind,
      });
      expect([responses, rest.toString("latin1", 0, 12)]).toEqual([[], "HTTP/1.1 200"]);
      expect(rest.includes("behind")).toBe(false);
      expect(rest.length - rest.indexOf("\r\n\r\n") - 4).toBeLessThan(snapshot.list.length);
      const line = await eventually(() => lines().find(({ requestId }) => requestId === "cut"), Boolean);
      expect(line).toMatchObject({ status: 200, isCut: true, cause: expect.stringMatching(why) });
    }
    await noBodyIsOpen();
    seen.mend();
    expectPacked(await list(), snapshot.list);
  });
}

test("a body whose gzip form is too large, too, goes out as it is, and nobody tries again", async () => {
  await start({ mark: randomBytes(8 * 64 * 1024).toString("base64") });
  for (const accepted of ["gzip", "gzip;q=1, identity;q=0", "gzip"])
    expectAsItIs(await list({ "Accept-Encoding": accepted }), snapshot.list);
  // Each answer and the one attempt to pack it.
  expect(listReads()).toBe(4);
  expect(await gateway.metric("gateway_body_cache_bytes")).toBeLessThan(1024);
});

/** The first reading of the list begins when the test says so. */
function holdFirstReading(): () => void {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let isFirst = true;
  seen.breakKeys(listKey, async (answer) => {
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst) await released;
    return answer();
  });
  return release;
}

test("while the store is slow, the bytes go out as they are after a while; the form is sent once it is made", async () => {
  await start({ waits: { packingMs: 200 } });
  const release = holdFirstReading();
  expectAsItIs(await list(), snapshot.list);
  release();
  const packed = await eventually(list, ({ headers }) => headers["content-encoding"] !== undefined);
  expectPacked(packed, snapshot.list);
});

test("a packing whose reader has left goes on for those who come", async () => {
  await start();
  const release = holdFirstReading();
  const leaving = openSocket(gateway.api);
  leaving.write(requestBytes("Accept-Encoding: gzip"));
  await eventually(listReads, (count) => count === 1);
  leaving.resetAndDestroy();
  await expect.poll(() => gateway.metric("gateway_connections")).toBe(0);
  const coming = list();
  const misses = () => gateway.metric('gateway_body_cache_lookups_total{result="miss"}');
  await eventually(misses, (count) => count === 2);
  release();
  expectPacked(await coming, snapshot.list);
  expect(listReads()).toBe(1);
  expect(lines()[0]).toMatchObject({ isCut: true, causeCode: "client_left" });
});

test("a client that leaves frees the store's stream at once, even a stalled one, and ends a call that is not answered yet", async () => {
  await start({ env: { STORE_TIMEOUT_MS: "60000" } });
  seen.breakKeys(listKey, stalledAfter(listBytes / 2));
  const socket = openSocket(gateway.api);
  socket.write(requestBytes());
  await once(socket, "data");
  expect(seen.openBodies()).toBe(1);
  socket.destroy();
  await noBodyIsOpen();
  expect(await lastLine()).toMatchObject({ status: 200, isCut: true });
  seen.mend();
  let isAborted = false;
  seen.breakKeys(listKey, (answer, options) => {
    options?.signal?.addEventListener("abort", () => (isAborted = true));
    return stalled(answer, options);
  });
  const reads = listReads();
  const impatient = openSocket(gateway.api);
  impatient.write(requestBytes("X-Request-Id: impatient"));
  await eventually(listReads, (count) => count > reads);
  impatient.resetAndDestroy();
  await eventually(() => isAborted, Boolean);
  const line = await eventually(() => lines().find(({ requestId }) => requestId === "impatient"), Boolean);
  expect(line).toMatchObject({ bytes: 0, isCut: true, causeCode: "client_left" });
});

test("a stream that stalls is cut in the time that the setting says", async () => {
  await start({ env: { SEND_STALL_SECONDS: "1" } });
  seen.breakKeys(listKey, stalledAfter(listBytes / 2));
  const { responses } = await converse(gateway.api, { send: requestBytes() });
  expect(responses).toEqual([]);
  expect(await lastLine()).toMatchObject({ status: 200, isCut: true });
  await noBodyIsOpen();
});

test("a client that does not read holds back the store's stream, and no other client", async () => {
  await start();
  let taken = 0;
  seen.breakKeys(listKey, async (answer) => {
    const result = await answer();
    if (result.kind !== "object") return result;
    result.body.on("data", (chunk: Buffer) => (taken += chunk.length));
    result.body.pause();
    return result;
  });
  const socket = openSocket(gateway.api);
  socket.write(requestBytes());
  await once(socket, "readable");
  let before = -1;
  await eventually(async () => {
    const isStill = taken === before;
    before = taken;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return isStill;
  }, Boolean);
  expect(taken).toBeLessThan(snapshot.list.length);
  expect((await client.get("/v1/programs/none", acme.plaintext)).status).toBe(404);
  let received = 0;
  socket.on("data", (chunk) => (received += chunk.length));
  await expect.poll(() => received).toBeGreaterThan(snapshot.list.length);
  socket.destroy();
});
