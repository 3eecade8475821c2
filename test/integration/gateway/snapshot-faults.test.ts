import { afterEach, expect, test } from "vitest";
import { parseSnapshotId, parseTenantId } from "../../../core/ground/ids.ts";
import { currentKey, responseKey } from "../../../core/ground/object-key.ts";
import {
  type BrokenStoreGateway,
  hasMark,
  stallFaults,
  startBrokenStoreGateway,
  storeFaults,
} from "../../support/gateway-broken-store.ts";
import { type Answer, eventually } from "../../support/gateway-client.ts";
import { flipped, missing, stuck, unavailable } from "../../support/gateway-faulty-store.ts";
import { manifestDigest, publishManifest, publishPointer } from "../../support/gateway-snapshots.ts";
import { setClocks } from "../../support/set-clocks.ts";

let on: BrokenStoreGateway;
afterEach(() => on.close());

const pointerKey = /tenants\/acme\/current\.json$/;
const manifestKey = /acme\/.*manifest\.json$/;
const isOk = ({ status }: Answer): boolean => status === 200;
const globex = parseTenantId("globex");

for (const [document, key] of [
  ["pointer", pointerKey],
  ["manifest", manifestKey],
] as const) {
  for (const [name, fault, env] of [...storeFaults, ...stallFaults, ["is damaged", flipped] as const]) {
    test(`a ${document} that ${name}: the snapshot before it is served, and the new one once it can be read`, async () => {
      on = await startBrokenStoreGateway(env);
      await eventually(() => on.list(), hasMark("first"));
      on.seen.breakKeys(key, fault);
      await on.publish(2, "second");
      const answer = await eventually(
        () => on.list(),
        () => on.gateway.log.some(({ msg }) => /snapshot .* confirmed/.test(String(msg))),
      );
      expect(answer.body.equals(on.first.list)).toBe(true);
      await eventually(() => on.list("globex"), isOk);
      on.seen.mend();
      const newer = await eventually(() => on.list(), hasMark("second"));
      expect(newer.headers["snapshot-id"]).not.toBe(on.first.snapshotId);
      expect((await on.detail("p2")).status).toBe(404);
    });
  }
}

for (const [name, fault, env] of [
  ["is missing", missing, {}],
  ["cannot be read", unavailable, {}],
  ["never answers", stuck, { STORE_TIMEOUT_MS: "300" }],
] as const) {
  test(`P18 a pointer that ${name}: up to its bound the last good snapshot is served, then 500; it recovers by itself`, async () => {
    const clocks = setClocks();
    on = await startBrokenStoreGateway({ SNAPSHOT_MAX_STALE_SECONDS: "2", ...env }, { clocks });
    await eventually(() => on.list(), isOk);
    await eventually(() => on.detail("p1"), isOk);
    on.seen.breakKeys(pointerKey, fault);
    for (let seconds = 1; seconds <= 2; seconds += 1) {
      clocks.advance(1000);
      expect([(await on.list()).status, (await on.detail("none")).status]).toEqual([200, 404]);
    }
    clocks.advance(1);
    const failed = await on.list();
    expect([failed.status, failed.headers["snapshot-id"]]).toEqual([500, undefined]);
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

test("W16 a manifest that cannot be read at the very first request: 500, never 404, and no queue at the store", async () => {
  on = await startBrokenStoreGateway({ SNAPSHOT_REFRESH_MS: "60000" });
  on.seen.breakKeys(manifestKey, unavailable);
  const answers = await Promise.all(Array.from({ length: 20 }, () => on.detail("p1")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
  expect(on.hasLogged("broken by the test")).toBe(true);
  expect(on.seen.asked.filter((asked) => asked.endsWith("manifest.json"))).toHaveLength(1);
});

test("P4 a manifest that names a key outside its tenant is refused as a whole", async () => {
  on = await startBrokenStoreGateway();
  await on.list();
  const snapshotId = parseSnapshotId("20300101T000000Z-00000001");
  const key = responseKey(globex, on.first.snapshotId, { kind: "list" });
  const list = { ...on.first.manifest.list, key };
  await publishManifest(on.gateway.store, { ...on.first.manifest, snapshotId, generation: 2, list });
  await expectWhile("first", "foreign or wrong key");
  expect(on.seen.asked.filter((asked) => asked.includes("globex"))).toEqual([]);
});

test("a pointer that belongs to another tenant is refused", async () => {
  on = await startBrokenStoreGateway();
  await on.list();
  on.seen.breakKeys(pointerKey, (_answer, options) => on.gateway.store.get(currentKey(globex), options));
  await expectWhile("first", "belongs to another tenant");
});

test("P3 a pointer that names another snapshot under the same generation is refused, and a lower one, too", async () => {
  on = await startBrokenStoreGateway();
  await on.list();
  await on.publish(1, "other");
  await expectWhile("first", "went back from generation 1");
  // A gateway says at most once a minute that the pointer cannot be believed.
  await on.close();
  on = await startBrokenStoreGateway();
  await on.publish(5, "fifth");
  await eventually(() => on.list(), hasMark("fifth"));
  await publishManifest(on.gateway.store, { ...on.first.manifest, generation: 4 });
  await expectWhile("fifth", "went back from generation 5");
});

/** Asks until the cause is logged, and gets the list of that snapshot. */
async function expectWhile(mark: string, cause: string): Promise<void> {
  const answer = await eventually(on.list, () => on.hasLogged(cause));
  expect(answer).toSatisfy(hasMark(mark));
}

test("a rollback, an older snapshot under a higher generation, is served; a rewritten pointer reads nothing more", async () => {
  on = await startBrokenStoreGateway();
  await on.publish(2, "second");
  await eventually(() => on.list(), hasMark("second"));
  const back = { ...on.first, generation: 3, manifestSha256: manifestDigest(on.first.manifest) };
  await publishPointer(on.gateway.store, back);
  const answer = await eventually(() => on.list(), hasMark("first"));
  expect(answer.headers["snapshot-id"]).toBe(on.first.snapshotId);
  on.seen.forget();
  await publishPointer(on.gateway.store, back);
  const polls = () => on.seen.asked.filter((key) => key.endsWith("current.json")).length;
  await eventually(on.list, () => polls() >= 3);
  expect(on.seen.asked.filter((key) => key.includes("/snapshots/"))).toEqual([]);
});

test("a busy tenant has one refresh in flight, however many ask, and a stalled one keeps nobody for long", async () => {
  // Longer than the requests take on a machine that has other things to do.
  on = await startBrokenStoreGateway({ SNAPSHOT_REFRESH_MS: "10000", STORE_TIMEOUT_MS: "600000" });
  const answers = await Promise.all(Array.from({ length: 40 }, () => on.list()));
  expect(answers.every(isOk)).toBe(true);
  expect(on.seen.asked.filter((key) => pointerKey.test(key))).toHaveLength(1);
  await on.close();
  on = await startBrokenStoreGateway({ STORE_TIMEOUT_MS: "600000" });
  await on.list();
  on.seen.breakKeys(pointerKey, stuck);
  on.seen.forget();
  await eventually(on.list, () => on.seen.asked.length > 0);
  for (let at = 0; at < 20; at += 1) expect((await on.list()).status).toBe(200);
});
