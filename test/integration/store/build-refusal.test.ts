import { beforeEach, describe, expect, test } from "vitest";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";
import { openSupportDesk } from "../../support/support-desk.ts";

describe("a build and a store without conditional writes", () => {
  const server = forAllTests(startS3Server);
  const desk = forAllTests(openSupportDesk);
  withAwsEnvironment(() => server.env);
  beforeEach(() => server.reset());

  const build = (...args: readonly string[]) =>
    desk.build({ args, env: { ...server.env, STORE_URL: `s3://${testBucket}` } });
  const snapshots = (): string[] => [...server.objects.keys()].filter((key) => key.startsWith("tenants/"));

  test.each(["ifMatch", "ifNoneMatch"] as const)(
    "P11 %s ignored: refused with exit 4 and the reason, nothing written",
    async (quirk) => {
      server.quirks[quirk] = "ignored";
      const { status, stderr, stdout } = await build();
      expect(status).toBe(4);
      expect(stdout + stderr).toContain("s3://programs/ cannot hold snapshots");
      expect(snapshots()).toEqual([]);
    },
  );

  test("P11 no token is issued there, but one can be revoked", async () => {
    const env = { ...server.env, STORE_URL: `s3://${testBucket}` };
    const create = ["token", "create", "--tenant", "acme", "--allow-unpublished", "--json"];
    const issued = await runCommand(create, { env });
    const { tokenId } = JSON.parse(issued.stdout) as { readonly tokenId: string };
    server.quirks.ifMatch = "ignored";

    const refused = await runCommand(create, { env });
    expect([refused.status, refused.stdout]).toEqual([4, ""]);
    expect(refused.stderr).toContain("s3://programs/ cannot hold snapshots");
    expect((await runCommand(["token", "rotate", tokenId], { env })).status).toBe(4);

    const revoked = await runCommand(["token", "revoke", tokenId, "--json"], { env });
    expect([revoked.status, JSON.parse(revoked.stdout)]).toEqual([0, { revoked: [tokenId] }]);
  });

  test("a store that honours them is asked once, cheaply, and not at all when nothing changed", async () => {
    expect((await build()).status).toBe(0);
    const probes = server.log.filter(
      ({ key, operation }) => key.startsWith("probe/") || operation === "DeleteObjects",
    );
    expect(probes.length).toBeLessThanOrEqual(12);
    expect([...server.objects.keys()].filter((key) => key.startsWith("probe/"))).toEqual([]);
    server.log.length = 0;
    expect((await build()).status).toBe(0);
    expect(server.log.filter(({ key }) => key.startsWith("probe/"))).toEqual([]);
  });
});
