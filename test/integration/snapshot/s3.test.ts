import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createS3Store } from "../../../core/s3-store/s3-store.ts";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { beginTestStore } from "../../support/begun-store.ts";
import { buildCanned } from "../../support/canned-source.ts";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";
import { filesBelow, toolsTenant } from "../../support/store-tools.ts";

const server = forAllTests(startS3Server);
const folder = folderForAllTests();
withAwsEnvironment(() => server.env);
beforeEach(() => server.reset());

async function publish(...names: readonly string[]): Promise<void> {
  const store = createS3Store({
    bucket: testBucket,
    prefix: "",
    forcePathStyle: true,
    timeoutMs: 5000,
    connection: server.connection,
  });
  await beginTestStore(store);
  for (const name of names) {
    const programs = [
      { programId: "KYOTO-1", name },
      { programId: "NARA-2", name: "Deer" },
    ];
    expect((await buildCanned(store, toolsTenant, programs)).outcome).toBe("published");
  }
  await store.close();
  server.log.length = 0;
}

async function run(args: readonly string[], hoursLater = 0): Promise<CommandResult> {
  const now = new Date(Date.now() + hoursLater * 3600 * 1000);
  const env = { ...server.env, STORE_URL: `s3://${testBucket}`, LOG_LEVEL: "silent" };
  const result = await runCommand(args, { env, now });
  expect([args.join(" "), result.status, result.stderr]).toEqual([args.join(" "), 0, ""]);
  return result;
}

const tenant = ["--tenant", toolsTenant];
const requests = (): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { operation, key } of server.log) {
    if (!key.startsWith("probe/")) counts[operation] = (counts[operation] ?? 0) + 1;
  }
  return counts;
};

test("rollback, release, prune, verify, list and export work on an s3: store", async () => {
  await publish("A", "B", "C");
  await run(["snapshot", "rollback", ...tenant]);
  await run(["snapshot", "verify"]);
  await run(["snapshot", "release", ...tenant]);
  await publish("D");
  await run(["snapshot", "prune", "--keep", "1"], 48);
  await run(["snapshot", "verify"]);
  const { stdout } = await run(["snapshot", "list", ...tenant, "--json"]);
  expect(JSON.parse(stdout).snapshots).toHaveLength(1);
  await run(["snapshot", "export", ...tenant, "--out", join(folder, "out")]);
  expect(await filesBelow(join(folder, "out"))).toHaveLength(4);
  // The live snapshot, what it shares with the first one, the pointer, the memory of the source, the audit of three commands, and
  // the store's identity.
  expect(server.objects.size).toBe(4 + 1 + 1 + 1 + 3 * 2 + 1);
});

test("a prune with nothing to delete costs a tenant one listing, one read, and three more per snapshot", async () => {
  await publish("A", "B");
  await run(["snapshot", "prune", ...tenant], 48);
  // Beside the proof of conditional writes before it, and one look at the store's identity for the whole run.
  expect(requests()).toMatchObject({ GetObject: 1 + 1 + 2 * 3, ListObjectsV2: 1 });
  expect(requests().PutObject).toBeUndefined();
});
