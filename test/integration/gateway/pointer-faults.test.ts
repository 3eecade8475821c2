import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { parseTenantId } from "../../../core/ids.ts";
import { currentKey } from "../../../core/object-key.ts";
import {
  type BrokenStoreGateway,
  hasMark,
  type NamedFault,
  stallFaults,
  startBrokenStoreGateway,
  storeFaults,
} from "../../support/gateway-broken-store.ts";
import { type Answer, eventually } from "../../support/gateway-client.ts";
import { missing, stuck, unavailable } from "../../support/gateway-faulty-store.ts";
import { manifestDigest, publishManifest, publishPointer } from "../../support/gateway-snapshots.ts";
import { setClocks } from "../../support/set-clocks.ts";

let on: BrokenStoreGateway;

afterEach(() => on.close());

const isOk = ({ status }: Answer): boolean => status === 200;

for (const [name, fault, env] of [...storeFaults, ...stallFaults]) {
  test(`a pointer that ${name}: the last good snapshot is served, and the new one once it can be read`, async () => {
    on = await startBrokenStoreGateway(env);
    await eventually(() => on.list(), isOk);
    on.seen.breakKeys(/tenants\/acme\/current\.json$/, fault);
    await on.publish(2, "second");
    const answer = await eventually(
      () => on.list(),
      () => on.gateway.log.some(({ msg }) => /snapshot .* confirmed/.test(String(msg))),
    );
    expect(answer.body.equals(on.first.list)).toBe(true);
    await eventually(() => on.list("globex"), isOk);
    on.seen.mend();
    await eventually(() => on.list(), hasMark("second"));
  });
}

for (const [name, fault, env] of [
  ["is missing", missing],
  ["cannot be read", unavailable],
  ["never answers", stuck, { STORE_TIMEOUT_MS: "300" }],
] as const satisfies readonly NamedFault[]) {
  test(`P18 a pointer that ${name}: up to its bound the last good snapshot is served, then 500; it recovers by itself`, async () => {
    const clocks = setClocks();
    on = await startBrokenStoreGateway({ SNAPSHOT_MAX_STALE_SECONDS: "2", ...env }, { clocks });
    await eventually(() => on.list(), isOk);
    await eventually(() => on.detail("p1"), isOk);
    on.seen.breakKeys(/tenants\/acme\/current\.json$/, fault);

    for (let seconds = 1; seconds <= 2; seconds += 1) {
      clocks.advance(1000);
      expect((await on.list()).status).toBe(200);
      expect((await on.detail("p1")).status).toBe(200);
      expect((await on.detail("none")).status).toBe(404);
    }
    clocks.advance(1);
    const failed = await on.list();
    expect(failed.status).toBe(500);
    expect(failed.headers["snapshot-id"]).toBeUndefined();
    expect((await on.detail("none")).status).toBe(500);
    await eventually(() => on.list("globex"), isOk);
    expect(on.gateway.log.findLast((line) => line.status === 500)?.cause).toMatch(/\w+ \w+/);

    on.seen.mend();
    await eventually(() => {
      // It is tried again after a while.
      clocks.advance(500);
      return on.list();
    }, isOk);
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
  const askedOf = (end: string): readonly string[] => on.seen.asked.filter((key) => key.endsWith(end));
  await eventually(
    () => on.list(),
    () => askedOf("current.json").length >= 3,
  );
  // The age of the data is asked for now and then, whatever is published.
  expect(on.seen.asked.length - askedOf("current.json").length).toBe(askedOf("runs/confirmed.json").length);
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
  on = await startBrokenStoreGateway({ STORE_TIMEOUT_MS: "60000" });
  await on.list();
  on.seen.breakKeys(/current\.json$/, stuck);
  on.seen.forget();
  await eventually(
    () => on.list(),
    () => on.seen.asked.length > 0,
  );
  // A refresh that began ahead of time delays nobody yet: which request waits for it depends on the moment.
  const delays: number[] = [];
  // Client and gateway are one process, and this clock stands still while the machine keeps it from running.
  let ticks = 0;
  const clock = setInterval(() => {
    ticks += 1;
  }, 10);
  while (ticks < 250) {
    const askedAt = ticks;
    expect((await on.list()).status).toBe(200);
    delays.push(ticks - askedAt);
    await setTimeout(50);
  }
  clearInterval(clock);
  expect(Math.max(...delays)).toBeLessThan(150);
  expect(delays.filter((delay) => delay > 50).length).toBeLessThanOrEqual(1);
});
