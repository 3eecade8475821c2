import { beforeEach, describe, expect, test } from "vitest";
import { requireConditionalWrites } from "../../../cli/shell/conditional-writes.ts";
import { bytesBody, readBody } from "../../../core/store/object-body.ts";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { key } from "../../support/object-store-probes.ts";
import { quietShell } from "../../support/quiet-shell.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

const server = forAllTests(startS3Server);
const desk = forAllTests(openSupportDesk);
withAwsEnvironment(() => server.env);
beforeEach(() => server.reset());
const env = () => ({ ...server.env, STORE_URL: `s3://${testBucket}`, LIVE_COPY: "on" });

/** What is written under conditions, or decides something. */
const conditional = [
  "current.json",
  "store.json",
  "tokens.json",
  "confirmed.json",
  "last.json",
  "README.txt",
  "conditions.json",
];

describe.each([
  // A proxy's 503 that follows the write.
  { kind: "masked", times: 1 },
  { kind: "throttled", times: 2 },
] as const)("a store that answers $kind", (fault) => {
  test("P198: fails no first build, no later one, and no token", async () => {
    for (let round = 0; round < 2; round += 1) {
      for (const keyEnd of conditional) server.faults.add({ ...fault, keyEnd, operation: "PutObject" });
      const { status, stdout, stderr } = await desk.build({ args: [], env: env() });
      expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("Published")]);
      expect(stderr).not.toContain("not up to date");
      const marker = server.objects.get(`tenants/${deskTenant}/live/README.txt`)?.bytes.toString();
      expect(marker).toContain("state: complete");
      await desk.source.update("name = name || '+'", "KYOTO-1");
      server.faults.clear();
    }
    server.faults.add({ ...fault, keyEnd: "tokens.json", operation: "PutObject" });
    const created = await runCommand(["token", "create", "--tenant", deskTenant, "--json"], { env: env() });
    expect(created, created.stderr).toMatchObject({ status: 0 });
    const listed = await runCommand(["token", "list", "--json"], { env: env() });
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
  });

  test("P198: is not called unsupported", async () => {
    const store = server.openStore();
    for (let skip = 0; skip < 4; skip += 1) {
      server.faults.clear();
      server.faults.add({ ...fault, skip, keyEnd: "conditions.json", operation: "PutObject" });
      await requireConditionalWrites(store, quietShell());
    }
    await store.close();
  });
});

test("P199: a body of any size that breaks off is read again, for whoever reads it whole", async () => {
  const store = server.openStore();
  const bytes = Buffer.alloc(300_000, "large ");
  const name = key("large.json");
  await store.put(name, bytesBody(bytes));
  server.faults.add({ kind: "cut", operation: "GetObject" });
  const found = await store.get(name, { wholeUpTo: 1_000_000 });
  if (found.kind !== "object") throw new Error("The object is missing.");
  expect((await readBody(found, 1_000_000, name)).equals(bytes)).toBe(true);
  await store.close();
});

test("P199: a build takes over a list, a manifest and a memory whose bodies broke off once", async () => {
  expect((await desk.build({ args: [], env: env() })).status).toBe(0);
  await desk.source.update("name = name || '!'", "KYOTO-1");
  for (const keyEnd of ["current.json", "manifest.json", "source.json", "v1/programs.json"]) {
    server.faults.add({ kind: "cut", keyEnd, operation: "GetObject" });
  }
  const { status, stdout } = await desk.build({ args: [], env: env() });
  expect([status, stdout]).toEqual([0, expect.stringContaining("1 published")]);
});
