import { expect, test } from "vitest";
import { parseSnapshotId, parseTenantId } from "../../../core/ground/ids.ts";
import { manifestKey, responseKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { forEachTest } from "../../support/lasting.ts";
import { objectKey, openStoreTools, toolsTenant } from "../../support/store-tools.ts";

const tools = forEachTest(openStoreTools);
const list = (...args: string[]) => tools.run(["snapshot", "list", "--tenant", toolsTenant, ...args]);
const ids = (stdout: string): string[] =>
  JSON.parse(stdout).snapshots.map(({ snapshotId }: { snapshotId: string }) => snapshotId);

test("--json prints every snapshot with what it was built on and until when it was live", async () => {
  const first = await tools.publish("A");
  const second = await tools.publish("B");

  const printed = JSON.parse((await list("--json")).stdout);
  expect(printed).toMatchObject({
    tenantId: toolsTenant,
    snapshotId: second,
    generation: (await tools.current()).generation,
    hold: null,
    damaged: [],
  });
  expect(printed.snapshots).toEqual([
    {
      snapshotId: second,
      generation: printed.generation,
      parent: first,
      generatedAt: expect.any(String),
      contentAt: printed.snapshots[0].generatedAt,
      programs: 1,
      storedAt: expect.any(String),
      isLive: true,
      liveUntil: null,
      withdrawnAt: null,
      rollbacks: [],
      isCondemned: false,
    },
    expect.objectContaining({
      snapshotId: first,
      parent: null,
      isLive: false,
      liveUntil: expect.any(String),
    }),
  ]);
});

test("leftovers of unfinished builds never count as snapshots: neither a folder without a manifest nor one that never became live", async () => {
  const live = await tools.publish("A");
  const tenantId = parseTenantId(toolsTenant);
  const killed = parseSnapshotId("20200101T000000Z-0000dead");
  await tools.store.put(responseKey(tenantId, killed, { kind: "list" }), bytesBody(Buffer.from("{}")));
  const overtaken = parseSnapshotId("20400101T000000Z-0000dead");
  const manifest = (await tools.read(manifestKey(tenantId, live))).toString();
  const copy = Buffer.from(manifest.replace(`"snapshotId":"${live}"`, `"snapshotId":"${overtaken}"`));
  await tools.store.put(manifestKey(tenantId, overtaken), bytesBody(copy));

  expect(ids((await list("--json")).stdout)).toEqual([live]);
});

test("a damaged manifest is named and does not hide the others", async () => {
  const first = await tools.publish("A");
  const second = await tools.publish("B");
  const key = manifestKey(parseTenantId(toolsTenant), first);
  await tools.store.put(objectKey(key), bytesBody(Buffer.from("{")));

  const { stdout, stderr, status } = await list();
  expect(status).toBe(0);
  expect(stdout).toContain(second);
  expect(stderr).toContain(`manifest.json of snapshot ${first} of tenant ${toolsTenant} is not JSON`);
});
