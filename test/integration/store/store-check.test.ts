import { chmod, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";
import type { S3Quirks } from "../../support/s3-server-protocol.ts";

interface CheckJson {
  readonly store: string;
  readonly fit: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly outcome: string;
    readonly message: string;
  }[];
}

describe("store check", () => {
  const server = forAllTests(startS3Server);
  withAwsEnvironment(() => server.env);
  beforeEach(() => server.reset());

  const check = (...flags: readonly string[]): Promise<CommandResult> =>
    runCommand(["store", "check", ...flags], {
      env: { ...server.env, STORE_URL: `s3://${testBucket}/team/`, STORE_TIMEOUT_MS: "60000" },
    });

  async function checkJson(quirks: Partial<S3Quirks>, ...flags: readonly string[]) {
    Object.assign(server.quirks, quirks);
    const { status, stdout } = await check("--json", ...flags);
    const report = JSON.parse(stdout) as CheckJson;
    const findings = new Map(report.findings.map((finding) => [finding.check, finding]));
    return { status, report, findings };
  }

  test("gives a clean bill to a store that keeps to S3, in text and as JSON, and leaves nothing behind", async () => {
    const { status, report } = await checkJson({});
    expect(status).toBe(0);
    expect(report).toMatchObject({ store: "s3://programs/team/", fit: true });
    expect(report.findings.map(({ check, outcome }) => `${check} ${outcome}`)).toEqual([
      "list ok",
      "missing ok",
      "write ok",
      "read ok",
      "revalidate ok",
      "list_after_write ok",
      "put_if_absent ok",
      "put_if_match ok",
      "clock ok",
      "delete ok",
      "identity ok",
    ]);
    expect(server.objects.size).toBe(0);
    const text = await check();
    expect(text.status).toBe(0);
    expect(text.stdout).toMatch(/^Fit /m);
    expect(text.stderr).toBe("");
  });

  test.each([
    ["If-Match", { ifMatch: "ignored" }, "put_if_match", /If-Match 8 were stored/],
    ["If-None-Match", { ifNoneMatch: "ignored" }, "put_if_absent", /If-None-Match: \* 8 were stored/],
  ] as const)("exits 4 for a store that ignores %s, and says so", async (_, quirks, name, reason) => {
    const { status, findings } = await checkJson(quirks);
    expect(status).toBe(4);
    expect(findings.get(name)).toMatchObject({
      outcome: "unsupported",
      message: expect.stringMatching(reason),
    });
    expect(server.objects.size).toBe(0);
    const text = await check();
    expect(text.stdout).toMatch(/^Not fit: /m);
  });

  test("exits 4 for a store that accepts conditions and breaks them only under a race", async () => {
    const { status, findings } = await checkJson({ racyConditions: true });
    expect(status).toBe(4);
    expect(findings.get("put_if_absent")?.outcome).toBe("unsupported");
    expect(findings.get("put_if_match")?.outcome).toBe("unsupported");
  });

  test.each([
    ["list", { mayList: false }, "s3:ListBucket on arn:aws:s3:::programs"],
    ["write", { mayPut: false }, "s3:PutObject and s3:GetObject on arn:aws:s3:::programs/team/*"],
    ["read", { mayGet: false }, "s3:GetObject on arn:aws:s3:::programs/team/*"],
    ["delete", { mayDelete: false }, "s3:DeleteObject on arn:aws:s3:::programs/team/*"],
  ] as const)(
    "exits 1 when the credentials may not %s, and says what to grant",
    async (name, quirks, grant) => {
      const { status, findings } = await checkJson(quirks);
      expect(status).toBe(1);
      expect(findings.get(name)).toMatchObject({
        outcome: "failed",
        message: expect.stringContaining(grant),
      });
    },
  );

  test("without permission to list, also says that a missing object cannot be told from a denied one", async () => {
    const { findings } = await checkJson({ mayList: false });
    expect(findings.get("missing")).toMatchObject({
      outcome: "failed",
      message: expect.stringContaining("s3:ListBucket"),
    });
  });

  test("warns of a clock that is minutes off and fails one that S3 would refuse", async () => {
    const ahead = await checkJson({ clockAheadMs: 5 * 60_000 });
    expect(ahead.status).toBe(0);
    expect(ahead.findings.get("clock")).toMatchObject({
      outcome: "warning",
      message: expect.stringMatching(/^The store's clock is (29\d|300) s ahead of this machine's\..*NTP/),
    });
    const behind = await checkJson({ clockAheadMs: -3600_000 });
    expect(behind.status).toBe(1);
    expect(behind.findings.get("clock")).toMatchObject({
      outcome: "failed",
      message: expect.stringMatching(/(359\d|360\d) s behind this machine's/),
    });
  });

  test("stops at a store that does not answer, instead of waiting for every check", async () => {
    server.faults.add({ kind: "dropped", times: Number.POSITIVE_INFINITY });
    const { status, report } = await checkJson({});
    expect(status).toBe(1);
    expect(report.findings[0]).toMatchObject({ check: "list", outcome: "failed" });
    expect(report.findings.slice(1).every(({ outcome }) => outcome === "skipped")).toBe(true);
    expect(server.log).toHaveLength(3);
  });

  test("--read-only tries what a gateway does and writes nothing", async () => {
    const { status, report } = await checkJson({ mayPut: false, mayDelete: false }, "--read-only");
    expect(status).toBe(0);
    expect(report.findings.map(({ check }) => check)).toEqual(["list", "missing", "read", "identity"]);
    expect(new Set(server.log.map(({ operation }) => operation))).toEqual(
      new Set(["ListObjectsV2", "GetObject"]),
    );
    expect((await checkJson({ mayList: false }, "--read-only")).status).toBe(1);
  });

  test("checks a folder, too, but has no policies for it", async () => {
    const directory = await mkdtemp(join(tmpdir(), "store-check-"));
    const env = { STORE_URL: `file:${directory}` };
    expect((await runCommand(["store", "check"], { env })).status).toBe(0);
    const policies = await runCommand(["store", "check", "--policies"], { env });
    expect(policies.status).toBe(2);
    expect(policies.stderr).toContain("STORE_URL");
    await rm(directory, { recursive: true });
  });

  test("warns of a folder that every account may read, and fails for a link in it", async () => {
    const directory = await mkdtemp(join(tmpdir(), "store-check-"));
    const run = async () => {
      const { status, stdout } = await runCommand(["store", "check", "--json"], {
        env: { STORE_URL: `file:${directory}` },
      });
      const { findings } = JSON.parse(stdout) as CheckJson;
      return { status, finding: findings.find(({ check }) => check === "folder") };
    };
    expect(await run()).toMatchObject({ status: 0, finding: { outcome: "ok" } });
    await chmod(directory, 0o755);
    expect(await run()).toMatchObject({
      status: 0,
      finding: { outcome: "warning", message: expect.stringContaining(`chmod -R o= '${directory}'`) },
    });
    await symlink("/etc", join(directory, "extra"));
    expect(await run()).toMatchObject({
      status: 1,
      finding: { outcome: "failed", message: expect.stringContaining(join(directory, "extra")) },
    });
    await rm(directory, { recursive: true });
  });

  test("an interruption ends it with 130 and takes its objects with it", async () => {
    const controller = new AbortController();
    server.onRequest(({ key }) => {
      if (key.endsWith("absent-2.json")) controller.abort();
    });
    const { status } = await runCommand(["store", "check"], {
      env: { ...server.env, STORE_URL: `s3://${testBucket}` },
      signal: controller.signal,
    });
    expect([status, server.objects.size]).toEqual([130, 0]);
  });
});
