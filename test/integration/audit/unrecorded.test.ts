import { beforeEach, expect, test } from "vitest";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { buildCanned } from "../../support/canned-source.ts";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";
import { toolsTenant } from "../../support/store-tools.ts";

/** Commands whose record can't be written. */

const server = forAllTests(startS3Server);
withAwsEnvironment(() => server.env);
beforeEach(async () => {
  server.reset();
  const store = server.openStore();
  await buildCanned(store, toolsTenant, [{ programId: "KYOTO-1", name: "Temples" }]);
  await store.close();
});

function run(...args: readonly string[]): Promise<CommandResult> {
  const env = { ...server.env, STORE_URL: `s3://${testBucket}`, LOG_LEVEL: "silent" };
  return runCommand(args, { env });
}

const create = ["token", "create", "--tenant", toolsTenant];

async function tokenIds(): Promise<readonly string[]> {
  const { stdout } = await run("token", "list", "--json");
  return JSON.parse(stdout).map(({ tokenId }: { tokenId: string }) => tokenId);
}

test("P85 without a record of what is about to be done nothing is done", async () => {
  server.faults.add({ kind: "before", operation: "PutObject", keyEnd: ".begun.json", times: 100 });
  const { status, stdout, stderr } = await run(...create);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/audit\/.* not made/);
  server.faults.clear();
  expect(await tokenIds()).toEqual([]);
});

test("P85 a token is printed also when the record of its issue cannot be completed", async () => {
  // After the record of intent.
  server.faults.add({ kind: "before", operation: "PutObject", keyStart: "audit/", skip: 1, times: 100 });
  const { status, stdout, stderr } = await run(...create);
  expect([status, stdout]).toEqual([1, expect.stringMatching(/^ppr_\w+\n$/)]);
  server.faults.clear();
  expect(await tokenIds()).toHaveLength(1);
  const { records } = JSON.parse((await run("audit", "list", "--json")).stdout);
  expect(records).toEqual([expect.objectContaining({ command: "token create", outcome: "begun" })]);
  expect(stderr).toMatch(new RegExp(`${records[0].recordId} as begun`));
});
