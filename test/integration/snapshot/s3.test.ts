import { beforeEach, expect, test } from "vitest";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { beginTestStore } from "../../support/begun-store.ts";
import { buildCanned } from "../../support/canned-source.ts";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";
import { toolsTenant } from "../../support/store-tools.ts";

const server = forAllTests(startS3Server);
withAwsEnvironment(() => server.env);
beforeEach(() => server.reset());

async function publish(...names: readonly string[]): Promise<void> {
  const store = server.openStore();
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

test("a prune with nothing to delete costs a tenant one listing, one read, and three more per snapshot", async () => {
  await publish("A", "B");
  await run(["snapshot", "prune", ...tenant], 48);
  // Beside the proof of conditional writes before it, and one look at the store's identity for the whole run.
  expect(requests()).toMatchObject({ GetObject: 1 + 1 + 2 * 3, ListObjectsV2: 1 });
  expect(requests().PutObject).toBeUndefined();
});
