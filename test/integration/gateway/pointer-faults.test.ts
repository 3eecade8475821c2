import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { parseTenantId } from "../../../core/ids.ts";
import { currentKey } from "../../../core/object-key.ts";
import {
  type BrokenStoreGateway,
  hasMark,
  stallFaults,
  startBrokenStoreGateway,
  storeFaults,
} from "../../support/gateway-broken-store.ts";
import { eventually } from "../../support/gateway-client.ts";
import { missing, stuck, unavailable } from "../../support/gateway-faulty-store.ts";
import { manifestDigest, publishManifest, publishPointer } from "../../support/gateway-snapshots.ts";

let on: BrokenStoreGateway;

afterEach(() => on.close());

for (const [name, fault] of [...storeFaults, ...stallFaults]) {
  test(`a pointer that ${name}: the last good snapshot is served, and the new one once it can be read`, async () => {
    on = await startBrokenStoreGateway();
    await on.list();
    on.seen.breakKeys(/tenants\/acme\/current\.json$/, fault);
    await on.publish(2, "second");
    const answer = await eventually(
      () => on.list(),
      () => on.gateway.log.some(({ msg }) => msg === "the tenant's snapshot could not be confirmed"),
    );
    expect(answer.body.equals(on.first.list)).toBe(true);
    expect((await on.list("globex")).status).toBe(200);
    on.seen.mend();
    await eventually(() => on.list(), hasMark("second"));
  });
}

for (const [name, fault, boundSeconds] of [
  ["is missing", missing, 2],
  ["cannot be read", unavailable, 2],
  ["never answers", stuck, 3],
] as const) {
  test(`P18 a pointer that ${name}: up to its bound the last good snapshot is served, then 500; it recovers by itself`, async () => {
    on = await startBrokenStoreGateway({ SNAPSHOT_MAX_STALE_SECONDS: String(boundSeconds) });
    // From before the last confirmation, whenever that was.
    const beganAt = performance.now();
    expect((await on.list()).status).toBe(200);
    expect((await on.detail("p1")).status).toBe(200);
    on.seen.breakKeys(/tenants\/acme\/current\.json$/, fault);

    while (performance.now() - beganAt < boundSeconds * 500) {
      expect((await on.list()).status).toBe(200);
      expect((await on.detail("p1")).status).toBe(200);
      expect((await on.detail("none")).status).toBe(404);
    }
    const failed = await eventually(
      () => on.list(),
      ({ status }) => status !== 200,
    );
    expect(performance.now() - beganAt).toBeGreaterThan(boundSeconds * 900);
    expect(failed.status).toBe(500);
    expect(failed.headers["snapshot-id"]).toBeUndefined();
    expect((await on.detail("none")).status).toBe(500);
    expect((await on.list("globex")).status).toBe(200);
    expect(on.gateway.log.findLast((line) => line.status === 500)?.cause).toMatch(/\w+ \w+/);

    on.seen.mend();
    await eventually(
      () => on.list(),
      ({ status }) => status === 200,
    );
  });
}

test("a pointer that belongs to another tenant is refused", async () => {
  on = await startBrokenStoreGateway();
  await on.list();
  const foreign = currentKey(parseTenantId("globex"));
  on.seen.breakKeys(/acme\/current\.json$/, (_answer, options) => on.gateway.store.get(foreign, options));
  const answer = await eventually(
    () => on.list(),
    () => on.hasLogged("belongs to another tenant"),
  );
  expect(answer.body.equals(on.first.list)).toBe(true);
});

test("P3 a pointer that goes back to a lower generation is refused", async () => {
  on = await startBrokenStoreGateway();
  await on.publish(5, "fifth");
  await eventually(() => on.list(), hasMark("fifth"));
  await publishManifest(on.gateway.store, { ...on.first.manifest, generation: 4 });
  const answer = await eventually(
    () => on.list(),
    () => on.hasLogged("went back from generation 5"),
  );
  expect(answer.body.includes("fifth")).toBe(true);
  await on.publish(6, "sixth");
  await eventually(() => on.list(), hasMark("sixth"));
});

test("P3 a pointer that names another snapshot under the same generation is refused", async () => {
  on = await startBrokenStoreGateway();
  await on.list();
  await on.publish(1, "other");
  const answer = await eventually(
    () => on.list(),
    () => on.hasLogged("went back from generation 1"),
  );
  expect(answer.body.equals(on.first.list)).toBe(true);
});

test("a rollback, an older snapshot under a higher generation, is served", async () => {
  on = await startBrokenStoreGateway();
  await on.publish(2, "second");
  await eventually(() => on.list(), hasMark("second"));
  const manifestSha256 = manifestDigest(on.first.manifest);
  await publishPointer(on.gateway.store, { ...on.first, generation: 3, manifestSha256 });
  const answer = await eventually(() => on.list(), hasMark("first"));
  expect(answer.headers["snapshot-id"]).toBe(on.first.snapshotId);
});

test("a pointer that is rewritten without a change, as a prune does, changes nothing", async () => {
  on = await startBrokenStoreGateway();
  await on.list();
  const manifestSha256 = manifestDigest(on.first.manifest);
  on.seen.forget();
  await publishPointer(on.gateway.store, { ...on.first, manifestSha256 });
  await eventually(
    () => on.list(),
    () => on.seen.asked.length >= 3,
  );
  expect(on.seen.asked.filter((key) => !key.endsWith("current.json"))).toEqual([]);
});

test("a busy tenant has one refresh in flight, however many ask", async () => {
  // Longer than the requests take on a machine that has other things to do.
  on = await startBrokenStoreGateway({ SNAPSHOT_REFRESH_MS: "10000" });
  let inFlight = 0;
  let most = 0;
  let asked = 0;
  on.seen.breakKeys(/current\.json$/, async (answer) => {
    asked += 1;
    inFlight += 1;
    most = Math.max(most, inFlight);
    try {
      return await answer();
    } finally {
      inFlight -= 1;
    }
  });
  const answers = await Promise.all(Array.from({ length: 40 }, () => on.list()));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(most).toBe(1);
  expect(asked).toBe(1);
});

test("a stalled store delays what can be served without it by a second, once", async () => {
  on = await startBrokenStoreGateway({ STORE_TIMEOUT_MS: "10000" });
  await on.list();
  on.seen.breakKeys(/current\.json$/, stuck);
  on.seen.forget();
  await eventually(
    () => on.list(),
    () => on.seen.asked.length > 0,
  );
  // A refresh that began ahead of time delays nobody yet: which request waits for it depends on the moment.
  const delays: number[] = [];
  // Client and gateway are one process: what the machine keeps from it is no delay of the gateway.
  const stalls = monitorEventLoopDelay({ resolution: 5 });
  stalls.enable();
  for (const beganAt = performance.now(); performance.now() - beganAt < 2500; ) {
    stalls.reset();
    const askedAt = performance.now();
    expect((await on.list()).status).toBe(200);
    delays.push(performance.now() - askedAt - stalls.max / 1e6);
    await setTimeout(50);
  }
  stalls.disable();
  expect(Math.max(...delays)).toBeLessThan(1500);
  expect(delays.filter((ms) => ms > 500).length).toBeLessThanOrEqual(1);
});
