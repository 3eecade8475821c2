import { afterEach, expect, test } from "vitest";
import {
  type BrokenStoreGateway,
  hasMark,
  startBrokenStoreGateway,
} from "../../support/gateway-broken-store.ts";
import { eventually } from "../../support/gateway-client.ts";
import { stalled } from "../../support/gateway-faulty-store.ts";
import type { PublishedSnapshot } from "../../support/gateway-snapshots.ts";

let on: BrokenStoreGateway;

afterEach(() => on.close());

/** Publishes, and waits for it without asking for anything that is published. */
async function publish(generation: number, mark: string): Promise<PublishedSnapshot> {
  on.seen.forget();
  const published = await on.publish(generation, mark, ["p1", "p2"]);
  await eventually(
    () => on.detail("none"),
    ({ headers }) => headers["snapshot-id"] === published.snapshotId,
  );
  return published;
}

function bodiesRead(): string[] {
  return on.seen.asked.flatMap((key) => /\/snapshots\/[^/]+\/(v1\/.*|legacy.*)$/.exec(key)?.[1] ?? []);
}

test("P42 what a publication changes of the bodies that were asked for is read before it is served, lists first", async () => {
  on = await startBrokenStoreGateway();
  await on.detail("p1");
  await on.list();
  await publish(2, "second");
  expect(bodiesRead()).toEqual(["v1/programs.json", "v1/programs/p1.json"]);
  on.seen.forget();
  expect((await on.list()).body.includes("second p1")).toBe(true);
  expect((await on.detail("p1")).body.includes("second p1")).toBe(true);
  expect(bodiesRead()).toEqual([]);
});

test("P42 what nobody asked for since the publication before is not read again", async () => {
  on = await startBrokenStoreGateway();
  await on.detail("p1");
  await publish(2, "second");
  expect(bodiesRead()).toEqual(["v1/programs/p1.json"]);
  await publish(3, "third");
  expect(bodiesRead()).toEqual([]);
  expect((await on.detail("p1")).body.includes("third p1")).toBe(true);
});

test("P42 a store that does not give the bodies keeps no publication back", async () => {
  on = await startBrokenStoreGateway({ STORE_TIMEOUT_MS: "300" });
  await eventually(() => on.detail("p1"), hasMark("first p1"));
  on.seen.breakKeys(/p1\.json$/, stalled);
  await publish(2, "second");
  expect((await on.detail("p1")).status).toBe(500);
  on.seen.mend();
  await eventually(() => on.detail("p1"), hasMark("second p1"));
});

test("CACHE_RENEWAL=off: a body is read when it is asked for", async () => {
  on = await startBrokenStoreGateway({ CACHE_RENEWAL: "off" });
  await on.detail("p1");
  await publish(2, "second");
  expect(bodiesRead()).toEqual([]);
  expect((await on.detail("p1")).body.includes("second p1")).toBe(true);
});
