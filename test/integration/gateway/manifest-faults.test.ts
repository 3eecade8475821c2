import { afterEach, expect, test } from "vitest";
import { parseSnapshotId, parseTenantId } from "../../../core/ids.ts";
import { responseKey } from "../../../core/object-key.ts";
import {
  type BrokenStoreGateway,
  hasMark,
  type NamedFault,
  stallFaults,
  startBrokenStoreGateway,
  storeFaults,
} from "../../support/gateway-broken-store.ts";
import { eventually } from "../../support/gateway-client.ts";
import { flipped, unavailable } from "../../support/gateway-faulty-store.ts";
import { publishManifest } from "../../support/gateway-snapshots.ts";

let on: BrokenStoreGateway;

afterEach(() => on.close());

const damaged: NamedFault = ["is damaged by one byte", flipped];
for (const [name, fault, env] of [...storeFaults, ...stallFaults, damaged]) {
  test(`a manifest that ${name}: the snapshot before it is served, and the new one once it can be read`, async () => {
    on = await startBrokenStoreGateway(env);
    await eventually(() => on.list(), hasMark("first"));
    on.seen.breakKeys(/manifest\.json$/, fault);
    await on.publish(2, "second");
    const answer = await eventually(
      () => on.list(),
      () => on.gateway.log.some(({ msg }) => /snapshot .* confirmed/.test(String(msg))),
    );
    expect(answer.body.equals(on.first.list)).toBe(true);
    await eventually(
      () => on.detail("p2"),
      ({ status }) => status === 200,
    );
    expect((await on.detail("p3")).status).toBe(404);
    on.seen.mend();
    await eventually(() => on.list(), hasMark("second"));
  });
}

test("P4 a manifest that names a key outside its tenant is refused as a whole", async () => {
  on = await startBrokenStoreGateway();
  await on.list();
  const snapshotId = parseSnapshotId("20300101T000000Z-00000001");
  const key = responseKey(parseTenantId("globex"), on.first.snapshotId, { kind: "list" });
  const list = { ...on.first.manifest.list, key };
  await publishManifest(on.gateway.store, { ...on.first.manifest, snapshotId, generation: 2, list });
  const answer = await eventually(
    () => on.list(),
    () => on.hasLogged("foreign or wrong key"),
  );
  expect(answer.body.equals(on.first.list)).toBe(true);
  expect(on.seen.asked.filter((asked) => asked.includes("globex"))).toEqual([]);
});

test("W17 a manifest that cannot be read at the very first request: 500, never 404, and no queue at the store", async () => {
  on = await startBrokenStoreGateway({ SNAPSHOT_REFRESH_MS: "60000" });
  on.seen.breakKeys(/manifest\.json$/, unavailable);
  const answers = await Promise.all(Array.from({ length: 20 }, () => on.detail("p1")));
  expect(answers.every(({ status }) => status === 500)).toBe(true);
  expect((await on.detail("p1")).status).toBe(500);
  expect(on.hasLogged("broken by the test")).toBe(true);
  expect(on.seen.asked.filter((asked) => asked.endsWith("manifest.json"))).toHaveLength(1);
});
