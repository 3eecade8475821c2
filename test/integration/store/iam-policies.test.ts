import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { iamPolicies } from "../../../cli/operate/store-check/iam-policies.ts";
import { parseSnapshotId, snapshotId } from "../../../core/ground/ids.ts";
import { confirmedKey, runKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { buildCanned } from "../../support/canned-source.ts";
import { runCommand } from "../../support/command-line.ts";
import { storeConfirmations } from "../../support/confirmed-document.ts";
import { startGatewayProcess } from "../../support/gateway-process.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";
import { toolsTenant } from "../../support/store-tools.ts";

const location = { bucket: testBucket, prefix: "team/" };
const policies = iamPolicies(location);
const tenant = ["--tenant", toolsTenant];

const server = forAllTests(startS3Server);
const folder = folderForAllTests();
let liveCopy = "off";
withAwsEnvironment(() => server.env);
beforeEach(() => server.reset());

/** Requests that were answered with 403, beside those that clear a 403 up. */
const denied = (): readonly string[] =>
  server.log.filter(({ status }) => status === 403).map(({ operation, key }) => `${operation} ${key}`);

async function run(...args: readonly string[]) {
  const env = {
    ...server.env,
    STORE_URL: `s3://${testBucket}/team`,
    LOG_LEVEL: "silent",
    LIVE_COPY: liveCopy,
  };
  // A prune deletes what is a day old, and reports that are thirty days old.
  const daysLater = args.includes("prune") ? 31 : 0;
  return await runCommand(args, { env, now: new Date(Date.now() + daysLater * 24 * 3600 * 1000) });
}

async function done(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await run(...args);
  expect([args.join(" "), status, stderr]).toEqual([args.join(" "), 0, expect.any(String)]);
  return stdout;
}

async function publish(...names: readonly string[]): Promise<TenantRun | undefined> {
  const store = openStore();
  let run: TenantRun | undefined;
  for (const name of names) {
    run = await buildCanned(store, toolsTenant, [{ programId: "KYOTO-1", name }]);
    expect(run.outcome).toBe("published");
  }
  await store.close();
  return run;
}

/** Reports of runs long ago; a prune keeps the newest 100. */
async function storeReports(count: number): Promise<void> {
  const store = openStore();
  for (let at = 0; at < count; at += 1) {
    const runId = snapshotId(new Date(at * 1000), Buffer.alloc(4, at));
    await store.put(runKey(runId), bytesBody(Buffer.from("{}")));
  }
  await store.close();
}

const openStore = (): ObjectStore => server.openStore(location);

describe("with the generator's policy", () => {
  test("builds and every tool that changes snapshots work, and nothing is asked for that is denied", async () => {
    server.quirks.policy = policies.generator;
    await publish("A", "B", "C");
    await done("snapshot", "rollback", ...tenant);
    await done("snapshot", "release", ...tenant);
    await publish("D");
    await done("snapshot", "list", ...tenant);
    await done("snapshot", "show", ...tenant, "--list");
    await done("snapshot", "diff", ...tenant);
    await done("snapshot", "export", ...tenant, "--out", join(folder, "out"));
    await storeReports(101);
    await done("snapshot", "prune", "--keep", "1");
    expect([...server.objects.keys()].filter((key) => key.startsWith("team/runs/"))).toHaveLength(100);
    await done("snapshot", "verify");
    const whole = [...server.objects].filter(([key]) => key.endsWith("/v1/programs.json"));
    for (const [key] of whole) server.objects.delete(key);
    expect((await run("snapshot", "verify")).status).toBe(1);
    for (const [key, object] of whole) server.objects.set(key, object);
    await done("snapshot", "verify");
    // The copies for people, and what removes them.
    liveCopy = "on";
    await done("snapshot", "release", ...tenant);
    expect([...server.objects.keys()].filter((key) => key.includes("/live/"))).toHaveLength(4);
    await done("snapshot", "verify");
    liveCopy = "off";
    await done("snapshot", "release", ...tenant);
    expect([...server.objects.keys()].filter((key) => key.includes("/live/"))).toEqual([]);
    expect((await run("store", "check")).stdout).not.toContain("FAILED");
    expect([denied(), server.log.filter(({ key }) => key.includes("auth/"))]).toEqual([[], []]);
  });

  test.each([["create", ...tenant], ["list"], ["revoke", "tok_0000000000000000"]])(
    "`token %s` is refused and says which policy it needs",
    async (...args) => {
      await publish("A");
      server.quirks.policy = policies.generator;
      const { status, stdout, stderr } = await run("token", ...args);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr.replace(/\s+/g, " ")).toMatch(
        /policy "tokens" .*`partner-programs store check --policies`/,
      );
      expect([...server.objects.keys()].filter((key) => key.includes("auth/"))).toEqual([]);
    },
  );
});

test("with the policy for tokens every token command works, and no snapshot can be changed", async () => {
  await publish("A");
  server.quirks.policy = policies.tokens;
  const { tokenId } = JSON.parse(await done("token", "create", ...tenant, "--json"));
  const rotated = JSON.parse(await done("token", "rotate", tokenId, "--json"));
  await done("token", "list");
  await done("token", "revoke", rotated.tokenId);
  expect((await run("store", "check")).stdout).not.toContain("FAILED");
  expect(denied()).toEqual([]);
  const { status } = await run("snapshot", "rollback", ...tenant);
  expect(status).toBe(1);
  expect(denied().length).toBeGreaterThan(0);
});

test("with the gateway's policy a gateway serves, finds out that there are no tokens yet and how old the data is, and reads no report", async () => {
  // Later than the snapshot, which confirms itself.
  const confirmedAt = new Date(Date.now() + 60_000).toISOString();
  const snapshotId = parseSnapshotId((await publish("A"))?.snapshotId ?? "");
  const store = openStore();
  await storeConfirmations(store, { [toolsTenant]: { snapshotId, confirmedAt } });
  await store.put(runKey(snapshotId), bytesBody(Buffer.from("{}")));
  server.quirks.policy = policies.gateway;
  await expect(store.get(runKey(snapshotId))).rejects.toThrow("denied");
  await expect(store.put(confirmedKey, bytesBody(Buffer.from("{}")))).rejects.toThrow("denied");
  await store.close();
  await done("store", "check", "--read-only");
  const gateway = await startGatewayProcess({ ...server.env, STORE_URL: `s3://${testBucket}/team` });
  try {
    const ask = (token: string, path = ""): Promise<Response> =>
      fetch(`${gateway.api}/v1/programs${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask("none")).status).toBe(401);
    server.quirks.policy = policies.tokens;
    const { token } = JSON.parse(await done("token", "create", ...tenant, "--json"));
    server.quirks.policy = policies.gateway;
    await expect.poll(async () => (await ask(token)).headers.get("snapshot-confirmed-at")).toBe(confirmedAt);
    expect((await ask(token, "/KYOTO-1")).status).toBe(200);
  } finally {
    gateway.signal("SIGTERM");
    await gateway.ended;
  }
});
