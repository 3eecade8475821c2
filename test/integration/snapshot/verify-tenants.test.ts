import { beforeEach, expect, test } from "vitest";
import { confirmationsBytes } from "../../../core/confirmations.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { confirmedKey, currentKey } from "../../../core/object-key.ts";
import { forEachTest } from "../../support/lasting.ts";
import { openStoreTools, toolsTenant } from "../../support/store-tools.ts";

const tools = forEachTest(openStoreTools);
beforeEach(async () => {
  await tools.build([{ programId: "KYOTO-1", name: "Temples" }]);
});
const verify = (...args: string[]) => tools.run(["snapshot", "verify", ...args]);

test("a damaged current.json is a finding of its tenant and does not keep the others from being verified", async () => {
  const key = currentKey(parseTenantId("atlas"));
  await tools.store.put(key, bytesBody(Buffer.from('{"format":"x"}')));

  const { status, stdout } = await verify("--json");
  expect(status).toBe(1);
  expect(JSON.parse(stdout).tenants).toMatchObject([
    { tenantId: "atlas", outcome: "findings", findings: [{ code: "pointer_damaged", key }] },
    { tenantId: toolsTenant, outcome: "clean" },
  ]);
});

test("a pointer that was lost is told from one that never was, and a build mends it", async () => {
  const tenantId = parseTenantId(toolsTenant);
  const { snapshotId, publishedAt: confirmedAt } = await tools.current();
  const confirmation = { snapshotId, confirmedAt, triedAt: confirmedAt, outcome: "published" };
  await tools.store.put(confirmedKey, bytesBody(confirmationsBytes(new Map([[tenantId, confirmation]]))));
  await tools.store.delete([currentKey(tenantId)]);
  const { status, stdout } = await verify("--json");
  const [tenant] = JSON.parse(stdout).tenants;
  expect([status, tenant.outcome, tenant.findings]).toMatchObject([
    1,
    "findings",
    [{ code: "pointer_missing", remedy: expect.stringContaining(`snapshot build --tenant ${toolsTenant}`) }],
  ]);
  await tools.build([{ programId: "KYOTO-1", name: "Temples" }]);
  expect((await verify()).status).toBe(0);
});

test("the sandbox, which no run builds, is mended by its own command", async () => {
  const args = ["sandbox", "init", "--without-source"];
  expect((await tools.run(args)).status).toBe(0);
  const key = currentKey(parseTenantId("sandbox"));
  await tools.store.put(key, bytesBody(Buffer.from("{}")));
  const { stdout } = await verify("--tenant", "sandbox", "--json");
  const [{ remedy }] = JSON.parse(stdout).tenants[0].findings;
  expect(remedy).toMatch(/^Run `sandbox init`; .* `sandbox init --remove`/);
  expect((await tools.run([...args, "--remove"])).status).toBe(0);
  expect((await tools.run(args)).status).toBe(0);
  expect((await verify("--tenant", "sandbox")).status).toBe(0);
});
