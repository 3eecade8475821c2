import { expect, test } from "vitest";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { manifestKey, markKey, responseKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { forEachTest } from "../../support/lasting.ts";
import { openStoreTools, toolsTenant } from "../../support/store-tools.ts";

const tenantId = parseTenantId(toolsTenant);

const tools = forEachTest(openStoreTools);
const rollback = (...args: string[]) => tools.run(["snapshot", "rollback", "--tenant", toolsTenant, ...args]);
const release = (...args: string[]) => tools.run(["snapshot", "release", "--tenant", toolsTenant, ...args]);
const verify = () => tools.run(["snapshot", "verify", "--tenant", toolsTenant]);

test("P14 a rollback makes the snapshot before the live one live, raises the generation and holds the tenant", async () => {
  const first = await tools.publish("A");
  const second = await tools.publish("B");
  const before = await tools.current();

  const { status, stdout } = await rollback("--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    tenantId: toolsTenant,
    outcome: "rolled-back",
    snapshotId: first,
    previousSnapshotId: second,
    generation: (await tools.current()).generation,
    hold: { reason: `rollback to ${first}`, since: expect.any(String) },
    programs: 1,
    previousPrograms: 1,
    withdrawn: null,
  });
  expect(await tools.current()).toMatchObject({
    snapshotId: first,
    hold: { reason: `rollback to ${first}` },
  });
  expect((await tools.current()).generation).toBeGreaterThan(before.generation);
  expect((await verify()).status).toBe(0);
});

test("P14 repeating a rollback changes nothing: while one holds the tenant, the next has to be told where to go", async () => {
  const first = await tools.publish("A");
  const second = await tools.publish("B");
  const third = await tools.publish("C");
  await rollback();
  const held = await tools.current();
  const repeated = await rollback();
  expect(repeated.status).toBe(4);
  expect(repeated.stderr).toContain(`There are, by --to: ${third}, ${first}.`);
  expect(await tools.current()).toEqual(held);
  expect(held.snapshotId).toBe(second);
  expect((await rollback("--to", first)).status).toBe(0);
  expect((await tools.current()).snapshotId).toBe(first);
});

test("after a rollback by --to and a new snapshot, the one before is what the rollback made live", async () => {
  const first = await tools.publish("A");
  await tools.publish("B");
  await tools.publish("C");
  await rollback("--to", first);
  await release();
  await tools.publish("D");
  expect((await rollback()).status).toBe(0);
  expect(await tools.current()).toMatchObject({ snapshotId: first });
});

test("--to goes to any snapshot that was live, also forward again to a withdrawn one", async () => {
  const first = await tools.publish("A");
  await tools.publish("B");
  const third = await tools.publish("C");
  expect((await rollback("--to", first)).status).toBe(0);
  expect((await tools.current()).snapshotId).toBe(first);
  expect((await rollback("--to", third)).status).toBe(0);
  expect(await tools.current()).toMatchObject({ snapshotId: third });
});

test("P14 the target is read as a whole first: with a damaged object nothing changes", async () => {
  const first = await tools.publish("A");
  await tools.publish("B");
  const before = await tools.current();
  const key = responseKey(tenantId, first, { kind: "legacy" });
  await tools.store.put(key, bytesBody(Buffer.from("{}")));

  const { status, stderr } = await rollback();
  expect(status).toBe(1);
  expect(stderr).toContain(key);
  expect(await tools.current()).toEqual(before);
});

test("a snapshot that a prune has begun to delete is no target", async () => {
  const first = await tools.publish("A");
  const second = await tools.publish("B");
  await tools.publish("C");
  await tools.store.put(markKey(tenantId, second, "condemned"), bytesBody(Buffer.from("{}")));

  expect([(await rollback("--to", second)).status, (await rollback()).status]).toEqual([1, 0]);
  expect((await tools.current()).snapshotId).toBe(first);
});

test("P14 a snapshot that never was live is no target, however complete it is", async () => {
  const live = await tools.publish("A");
  const never = "20400101T000000Z-0000dead";
  const manifest = (await tools.read(manifestKey(tenantId, live))).toString();
  const copy = Buffer.from(manifest.replace(`"snapshotId":"${live}"`, `"snapshotId":"${never}"`));
  await tools.store.put(manifestKey(tenantId, never as typeof live), bytesBody(copy));
  expect((await rollback("--to", never)).status).toBe(1);
});

test("a release ends the hold and keeps snapshot, generation and time of publication", async () => {
  const first = await tools.publish("A");
  await tools.publish("B");
  await rollback();
  const held = await tools.current();

  const { status, stdout } = await release("--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    tenantId: toolsTenant,
    outcome: "released",
    snapshotId: first,
    generation: held.generation,
    endedHold: held.hold,
  });
  const after = await tools.current();
  expect(after).toEqual({ ...held, hold: null, nonce: expect.any(String) });
  expect(after.nonce).not.toBe(held.nonce);
});

const six = ["A", "B", "C", "D", "E", "F"].map((programId) => ({ programId, name: programId }));

test.each([
  ["an empty one", []],
  ["one that lacks five of six", [six[0]]],
])("P14 a rollback to a snapshot that shrinks the tenant is refused: %s", async (_, few) => {
  await tools.build(few.flatMap((program) => program ?? []));
  await tools.build(six);
  const before = await tools.current();
  const refused = await rollback();
  expect(refused.status).toBe(4);
  expect(refused.stderr).toMatch(/has \d programs, and partners see 6 now, \d of which it lacks/);
  expect(refused.stderr).toContain("--allow-shrink");
  expect(await tools.current()).toEqual(before);
  const { status, stdout } = await rollback("--allow-shrink");
  expect(status).toBe(0);
  expect(stdout).toMatch(/Partners see \d programs? now; before it was 6\./);
});
