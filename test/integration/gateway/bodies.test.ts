import { gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import {
  type BrokenStoreGateway,
  hasMark,
  type NamedFault,
  stallFaults,
  startBrokenStoreGateway,
  storeFaults,
} from "../../support/gateway-broken-store.ts";
import { eventually } from "../../support/gateway-client.ts";
import { flipped, replacedBy } from "../../support/gateway-faulty-store.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";

let on: BrokenStoreGateway;

afterEach(() => on.close());

const bodyFaults: readonly NamedFault[] = [
  ...storeFaults,
  ...stallFaults,
  ["has other bytes of the same length", flipped],
  ["is longer than its manifest says", replacedBy("x".repeat(5000))],
  ["is another response's", () => on.gateway.store.get(on.first.manifest.list.key)],
];

for (const [name, fault, env] of bodyFaults) {
  test(`W16, P17 a body that ${name}: 500, never a wrong answer and never 404; it recovers by itself`, async () => {
    on = await startBrokenStoreGateway(env);
    // From now on nothing but the body can be late.
    await eventually(() => on.list(), hasMark("first"));
    on.seen.breakKeys(/\/p1\.json$/, fault);
    const answer = await on.detail("p1");
    expect(answer.status).toBe(500);
    expect(answer.headers["snapshot-id"]).toBeUndefined();
    expect(answer.headers.ratelimit).toBeDefined();
    const line = on.gateway.log.findLast((entry) => entry.status === 500);
    expect(line?.objectKey).toContain("/v1/programs/p1.json");
    expect(line?.cause).toMatch(/\w+ \w+/);
    await expect.poll(() => on.detail("p2")).toMatchObject({ status: 200 });
    await eventually(on.seen.openBodies, (open) => open === 0);
    on.seen.mend();
    await eventually(() => on.detail("p1"), hasMark("first p1"));
  });
}

test("P16 no key outside the token's tenant is ever read", async () => {
  on = await startBrokenStoreGateway();
  const paths = ["/v1/programs", "/v1/programs/p1", "/v1/programs/g1", "/v1/programs/..%2F..%2Fglobex"];
  for (const path of paths) await on.client.get(path, on.token);
  expect(on.seen.asked.length).toBeGreaterThan(0);
  // That one names no tenant's data, and no request makes it be read.
  const others = on.seen.asked.filter((key) => key !== "runs/confirmed.json");
  expect(others.filter((key) => !key.startsWith("tenants/acme/"))).toEqual([]);
});

test("W2, W45 headers and body of an answer are of one snapshot, whatever is published meanwhile", async () => {
  on = await startBrokenStoreGateway({ SNAPSHOT_REFRESH_MS: "5" });
  const marks = new Map<string, string>([[on.first.snapshotId, "first"]]);
  const seen: { readonly snapshotId: string; readonly body: string }[] = [];
  let isOver = false;
  const readers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      for (const answer of [await on.list(), await on.detail("p1")]) {
        seen.push({ snapshotId: answer.headers["snapshot-id"] ?? "", body: answer.body.toString() });
      }
    }
  });
  for (let generation = 2; generation <= 15; generation += 1) {
    const mark = `mark${generation}`;
    const { snapshotId } = await on.publish(generation, mark);
    marks.set(snapshotId, mark);
    await eventually(() => on.list(), hasMark(mark));
  }
  isOver = true;
  await Promise.all(readers);
  expect(new Set(seen.map(({ snapshotId }) => snapshotId)).size).toBeGreaterThan(3);
  for (const { snapshotId, body } of seen) expect(body).toContain(`${marks.get(snapshotId)} p1`);
});

test("gzip: concurrent requests for one body get the same bytes, read once", async () => {
  on = await startBrokenStoreGateway();
  const content = { programIds: ["p1"], generation: 2, mark: "big", minBytes: 300_000 };
  const { details } = await publishSnapshot(on.gateway.store, "acme", content);
  await eventually(() => on.list(), hasMark("big"));
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      on.client.get("/v1/programs/p1", on.token, { "Accept-Encoding": "gzip" }),
    ),
  );
  const [sample] = answers;
  for (const answer of answers) {
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(answer.headers.vary).toBe("Accept-Encoding");
    expect(answer.body.equals(sample?.body ?? Buffer.alloc(0))).toBe(true);
  }
  expect(gunzipSync(sample?.body ?? "").equals(details.get("p1") ?? Buffer.alloc(0))).toBe(true);
  expect(on.seen.asked.filter((key) => key.endsWith("/p1.json"))).toHaveLength(1);
});

test("the cache keeps to its bound", async () => {
  on = await startBrokenStoreGateway({ CACHE_MAX_MB: "1" });
  const programIds = Array.from({ length: 60 }, (_, at) => `q${at}`);
  await publishSnapshot(on.gateway.store, "acme", { programIds, generation: 2, minBytes: 50_000 });
  await expect.poll(() => on.detail("q0")).toMatchObject({ status: 200 });
  for (const id of programIds) expect((await on.detail(id)).status).toBe(200);
  const held = await on.gateway.metric("gateway_body_cache_bytes");
  expect(held).toBeGreaterThan(500_000);
  expect(held).toBeLessThanOrEqual(1024 * 1024);
});
