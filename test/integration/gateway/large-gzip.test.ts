import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { type Answer, type Client, createClient, eventually } from "../../support/gateway-client.ts";
import {
  brokenAfter,
  endedAfter,
  type FaultyStore,
  faultyStore,
  flipped,
  missing,
  replacedBy,
  unavailable,
} from "../../support/gateway-faulty-store.ts";
import { type FixtureOptions, type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { type PublishedSnapshot, publishManifest, publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { converse, openSocket } from "../../support/raw-http.ts";

const acme = issueToken("acme");
const listBytes = 4 * 1024 * 1024;
/** Of the test's gateway: a sixteenth of its cache. */
const maxHeldBytes = 64 * 1024;
const gzip = { "Accept-Encoding": "gzip" };
let gateway: GatewayFixture;
let client: Client;
let seen: FaultyStore;
let snapshot: PublishedSnapshot;

afterEach(async () => {
  client.close();
  await gateway.close();
});

/** A list of 4 MB far above what the cache takes, whose gzip form is far below. It is waited for on any machine. */
async function start(mark = "acme", waits: FixtureOptions["waits"] = { packingMs: 60_000 }): Promise<void> {
  gateway = await startGateway({
    waits,
    env: { CACHE_MAX_MB: "1" },
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
  client = createClient(gateway.api);
}

const list = (headers: Readonly<Record<string, string>> = gzip): Promise<Answer> =>
  client.get("/v1/programs", acme.plaintext, headers);
const listReads = (): number => seen.asked.filter((key) => key.endsWith("/v1/programs.json")).length;
const lines = () => gateway.log.filter(({ msg }) => msg === "request");

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.admin}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}

function expectPacked(answer: Answer, bytes: Buffer): void {
  expect(answer.status).toBe(200);
  expect(answer.headers["content-encoding"]).toBe("gzip");
  expect(answer.headers.vary).toBe("Accept-Encoding");
  expect(answer.headers["content-length"]).toBe(String(answer.body.length));
  expect(answer.headers["transfer-encoding"]).toBeUndefined();
  expect(gunzipSync(answer.body).equals(bytes)).toBe(true);
}

function expectAsItIs(answer: Answer, bytes: Buffer): void {
  expect(answer.status).toBe(200);
  expect(answer.headers["content-encoding"]).toBeUndefined();
  expect(answer.headers.vary).toBe("Accept-Encoding");
  expect(answer.headers["content-length"]).toBe(String(bytes.length));
  expect(answer.body.equals(bytes)).toBe(true);
}

test("however many ask for it at a time, the store is read and the body packed once", async () => {
  await start();
  for (const answer of await Promise.all(Array.from({ length: 16 }, () => list())))
    expectPacked(answer, snapshot.list);
  expect(listReads()).toBe(1);
  const packed = await list();
  expectPacked(packed, snapshot.list);
  expect(listReads()).toBe(1);
  await eventually(lines, (seenLines) => seenLines.length === 17);
  for (const line of lines()) {
    expect(line).toMatchObject({ bytes: packed.body.length, objectKey: snapshot.manifest.list.key });
    expect(line.isCut).toBeUndefined();
  }
  expect(await metric('gateway_body_cache_lookups_total{result="hit"}')).toBe(1);
  expect(await metric('gateway_body_cache_lookups_total{result="miss"}')).toBe(16);
});

test("beside the gzip form the bytes as they are still come from the store, and leave it in place", async () => {
  await start();
  await list();
  expectAsItIs(await list({}), snapshot.list);
  expect(listReads()).toBe(2);
  seen.breakKeys(/v1\/programs\.json$/, unavailable);
  expectPacked(await list(), snapshot.list);
});

test("HTTP/1.0 gets the gzip form too, since its length is known", async () => {
  await start();
  const { responses, ending } = await converse(gateway.api, {
    send: `GET /v1/programs HTTP/1.0\r\nAuthorization: Bearer ${acme.plaintext}\r\nAccept-Encoding: gzip\r\n\r\n`,
  });
  expect(responses[0]?.header("content-encoding")).toBe("gzip");
  expect(gunzipSync(responses[0]?.body ?? "").equals(snapshot.list)).toBe(true);
  expect(ending).toBe("closed");
});

test("a new snapshot's form takes the place of the old one's; the same bytes are not packed again", async () => {
  await start();
  await list();
  const content = { programIds: ["p1"], generation: 2, mark: "second", minBytes: listBytes };
  const second = await publishSnapshot(gateway.store, "acme", content);
  const answer = await eventually(
    () => list(),
    ({ headers }) => headers["snapshot-id"] === second.snapshotId,
  );
  expectPacked(answer, second.list);
  expect(await metric("gateway_body_cache_bytes")).toBeLessThan(answer.body.length + 1024);
  seen.forget();
  await publishManifest(gateway.store, { ...second.manifest, generation: 3 });
  await eventually(
    () => list(),
    () => seen.asked.some((key) => key.endsWith("manifest.json")),
  );
  expectPacked(await list(), second.list);
  expect(listReads()).toBe(0);
});

for (const [name, fault] of [
  ["whose last byte is another", flipped],
  ["that ends too early without an error", endedAfter(listBytes / 2)],
  ["that breaks off with an error", brokenAfter(listBytes / 2)],
  ["that is missing", missing],
  ["of another size", replacedBy("x".repeat(100_000))],
] as const) {
  test(`no byte of a body ${name} leaves: 500, and the log says why; it recovers by itself`, async () => {
    await start();
    seen.breakKeys(/v1\/programs\.json$/, fault);
    for (const answer of await Promise.all([list(), list()])) expect(answer.status).toBe(500);
    const line = await eventually(
      () => lines().findLast(({ status }) => status === 500),
      (found) => found !== undefined,
    );
    expect(line?.cause).toMatch(/digest|ended after|broken|missing|manifest says|instead of/);
    await eventually(seen.openBodies, (open) => open === 0);
    seen.mend();
    expectPacked(await list(), snapshot.list);
  });
}

test("a body whose gzip form is too large, too, goes out as it is, and nobody tries again", async () => {
  await start(randomBytes(maxHeldBytes * 8).toString("base64"));
  for (const accepted of ["gzip", "gzip;q=1, identity;q=0", "gzip"])
    expectAsItIs(await list({ "Accept-Encoding": accepted }), snapshot.list);
  // Each answer and the one attempt to pack it.
  expect(listReads()).toBe(4);
  expect(await metric("gateway_body_cache_bytes")).toBeLessThan(1024);
});

/** The first reading of the list begins when the test says so. */
function holdFirstReading(): () => void {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isFirst = true;
  seen.breakKeys(/v1\/programs\.json$/, async (answer) => {
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst) await released;
    return answer();
  });
  return release;
}

test("while the store is slow, the bytes go out as they are after a while; the form is sent once it is made", async () => {
  await start("acme", { packingMs: 200 });
  const release = holdFirstReading();
  expectAsItIs(await list(), snapshot.list);
  release();
  const packed = await eventually(
    () => list(),
    ({ headers }) => headers["content-encoding"] !== undefined,
  );
  expectPacked(packed, snapshot.list);
});

test("a packing whose reader has left goes on for those who come", async () => {
  await start();
  const release = holdFirstReading();
  const leaving = openSocket(gateway.api);
  leaving.write(
    `GET /v1/programs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${acme.plaintext}\r\nAccept-Encoding: gzip\r\n\r\n`,
  );
  await eventually(listReads, (count) => count === 1);
  leaving.resetAndDestroy();
  await eventually(
    () => metric("gateway_connections"),
    (open) => open === 0,
  );
  const coming = list();
  await eventually(
    () => metric('gateway_body_cache_lookups_total{result="miss"}'),
    (misses) => misses === 2,
  );
  release();
  expectPacked(await coming, snapshot.list);
  expect(listReads()).toBe(1);
  expect(await eventually(() => lines()[0], Boolean)).toMatchObject({
    isCut: true,
    causeCode: "client_left",
  });
});
