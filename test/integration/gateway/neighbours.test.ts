import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { Answer } from "../../support/gateway-client.ts";
import { eventually } from "../../support/gateway-client.ts";
import { type FaultyStore, faultyStore, stalled } from "../../support/gateway-faulty-store.ts";
import { type FixtureOptions, type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { type PublishedSnapshot, publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { openSocket } from "../../support/raw-http.ts";

const hog = issueToken("hog");
const calm = issueToken("calm");
const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `p${at}`);
const gzip = { "Accept-Encoding": "gzip" };
let gateway: GatewayFixture;
let seen: FaultyStore;
let published: PublishedSnapshot;

afterEach(() => gateway.close());

async function start(
  content: { readonly programs: number; readonly minBytes?: number; readonly mark?: string },
  { env = {}, waits }: Pick<FixtureOptions, "env" | "waits"> = {},
): Promise<void> {
  const { programs, ...rest } = content;
  gateway = await startGateway({
    env,
    ...(waits === undefined ? {} : { waits }),
    async fill(store, tokens) {
      await tokens.write([hog, calm]);
      published = await publishSnapshot(store, "hog", { programIds: ids(programs), ...rest });
      await publishSnapshot(store, "calm", { programIds: ids(50), minBytes: 100_000 });
    },
    seen(store) {
      seen = faultyStore(store);
      return seen;
    },
    seenTokens: (store) => store,
  });
}

const detail = (at: number, { plaintext }: typeof hog, headers = {}): Promise<Answer> =>
  gateway.client.get(`/v1/programs/p${at}`, plaintext, headers);
const hogReads = (): number => seen.asked.filter((key) => /hog.*programs\/p/.test(key)).length;

test("W185 while all reads for one tenant hang, another tenant's cold details and new snapshots come; what waits in vain is a 500 with its own cause", async () => {
  await start({ programs: 300 }, { env: { STORE_TIMEOUT_MS: "3000" } });
  seen.breakKeys(/hog.*programs\/p/, stalled);
  const attack = ids(300).map((_, at) => detail(at, hog));
  await eventually(hogReads, (count) => count === 256);
  for (let at = 0; at < 50; at += 1) expect((await detail(at, calm)).status).toBe(200);
  const next = await publishSnapshot(gateway.store, "calm", { programIds: ids(2), generation: 2 });
  await eventually(
    () => detail(1, calm),
    ({ headers }) => headers["snapshot-id"] === next.snapshotId,
  );
  expect(hogReads()).toBe(256);
  const statuses = (await Promise.all(attack)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([500]));
  const causes = gateway.log.filter(({ status }) => status === 500).map(({ causeCode }) => causeCode);
  expect(causes.filter((code) => code === "no_share")).toHaveLength(44);
  expect(await gateway.metric("gateway_shares_refused_total")).toBe(44);
});

test("W185 slow readers of a large body have their tenant's share, and no more", async () => {
  await start({ programs: 1, minBytes: 12_000_000 }, { env: { CACHE_MAX_MB: "1" } });
  const request = `GET /v1/programs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${hog.plaintext}\r\n\r\n`;
  const readers = ids(260).map(() => openSocket(gateway.api));
  for (const reader of readers) {
    reader.write(request);
    reader.once("data", () => reader.pause());
  }
  const listReads = (): number => seen.asked.filter((key) => /hog.*programs\.json/.test(key)).length;
  // Each reader opens the list, and one reads it for its digest.
  await eventually(listReads, (count) => count === 257);
  expect((await detail(7, calm)).status).toBe(200);
  readers[0]?.destroy();
  await eventually(listReads, (count) => count === 258);
  for (const reader of readers) reader.destroy();
});

test("W186 a burst of large details goes out unpacked and is streamed once the bytes held reach their bound; later all are packed", async () => {
  // 4 MiB may be held beside the cache: half of it for one tenant.
  const mark = randomBytes(30_000).toString("hex");
  await start({ programs: 20, minBytes: 900_000, mark }, { env: { CACHE_MAX_MB: "16" } });
  const answers = await Promise.all(ids(20).map((_, at) => detail(at, hog, gzip)));
  const encodings = answers.map(({ headers }) => headers["content-encoding"]);
  expect(encodings.filter((encoding) => encoding === undefined).length).toBeGreaterThanOrEqual(16);
  answers.forEach(({ status, headers, body }, at) => {
    const bytes = headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
    expect([status, bytes.equals(published.details.get(`p${at}`) ?? Buffer.of())]).toEqual([200, true]);
  });
  expect((await detail(19, hog, gzip)).headers["content-encoding"]).toBe("gzip");
});

test("W187 a body in memory whose packing takes too long goes out as it is, and packed when that is done", async () => {
  const mark = randomBytes(1_000_000).toString("hex");
  await start({ programs: 1, minBytes: 8_000_000, mark }, { waits: { packingMs: 1 } });
  const first = await detail(0, hog, gzip);
  expect([first.status, first.headers["content-encoding"]]).toEqual([200, undefined]);
  const later = await eventually(
    () => detail(0, hog, gzip),
    ({ headers }) => headers["content-encoding"] === "gzip",
  );
  expect(gunzipSync(later.body).equals(first.body)).toBe(true);
});

test("readers that come at the same time share one reading of a folder's large list for its digest", async () => {
  await start({ programs: 1, minBytes: 8_000_000 }, { env: { CACHE_MAX_MB: "1" } });
  let hashed = 0;
  seen.breakKeys(/hog.*programs\.json/, async (answer) => {
    const result = await answer();
    if (result.kind !== "object" || result.forEachChunk === undefined) return result;
    const { forEachChunk } = result;
    return {
      ...result,
      forEachChunk: (take) => {
        hashed += 1;
        return forEachChunk(take);
      },
    };
  });
  const lists = await Promise.all(ids(20).map(() => gateway.client.get("/v1/programs", hog.plaintext)));
  expect(new Set(lists.map(({ body }) => body.equals(published.list)))).toEqual(new Set([true]));
  // The first reader hashes what it sends. At most one reading more is for the digest, then one a reader.
  expect(hashed).toBeGreaterThanOrEqual(19);
  expect(hashed).toBeLessThanOrEqual(20);
});
