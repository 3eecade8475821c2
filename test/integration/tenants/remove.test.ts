import { beforeEach, describe, expect, test } from "vitest";
import { readRegistry } from "../../../cli/read/administration/read-registry.ts";
import { tokenStatus } from "../../../core/documents/token-registry.ts";
import { confirmedKey } from "../../../core/ground/object-key.ts";
import type { CommandResult } from "../../support/command-line.ts";
import { gateSource } from "../../support/gated-source.ts";
import { createClient, eventually } from "../../support/gateway-client.ts";
import { startGatewayProcess } from "../../support/gateway-process.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench();

beforeEach(async () => {
  await list("acme");
  await list("bora");
  await bench.build();
});
async function list(tenant: string): Promise<void> {
  await bench.source.insert("tenants", { tenant_id: tenant, name: tenant });
  await bench.insertPrograms(tenant, { program_id: `of-${tenant}` });
}

async function unlist(tenant: string): Promise<void> {
  await bench.source.query(`DELETE FROM partner_source.programs WHERE tenant_id = '${tenant}'`);
  await bench.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${tenant}'`);
}

const remove = (...args: readonly string[]): Promise<CommandResult> =>
  bench.run(["tenant", "remove", ...args]);

async function issue(tenant: string): Promise<string> {
  const { stdout } = await bench.run(["token", "create", "--tenant", tenant, "--json"]);
  return JSON.parse(stdout).token;
}

async function keysBelow(prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of bench.store.list(prefix)) keys.push(key);
  return keys;
}

async function activeTokens(tenant: string): Promise<number> {
  const { registry } = await readRegistry(bench.store);
  return registry.tokens.filter(
    (token) => token.tenantId === tenant && tokenStatus(token, new Date()) === "active",
  ).length;
}

describe("tenant remove", () => {
  test("P91 refuses a tenant that the source lists, with exit status 4, and says what to do", async () => {
    await issue("acme");
    const before = await bench.tree();
    const { status, stderr } = await remove("acme", "--purge");
    expect([status, stderr]).toEqual([4, expect.stringContaining("still lists tenant acme")]);
    expect(stderr).toContain("token revoke --tenant acme");
    expect(await bench.tree()).toEqual(before);
  });

  test("P91 says that it cannot know while the database is away, unless it is told not to ask", async () => {
    const env = { DATABASE_URL: "postgres://127.0.0.1:1/none" };
    const asked = await bench.run(["tenant", "remove", "acme"], { env });
    expect([asked.status, asked.stderr]).toEqual([1, expect.stringContaining("--without-source")]);
    expect((await bench.run(["tenant", "remove", "acme", "--without-source"], { env })).status).toBe(0);
  });

  test("P91 revokes the tokens and issues none, keeps the snapshots, and leaves others alone", async () => {
    await issue("acme");
    await issue("bora");
    const kept = await keysBelow("tenants/acme/");
    await unlist("acme");
    const { status, stdout } = await remove("acme", "--reason", "the contract ended");
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining("1 token revoked, its snapshots stay stored"),
    ]);
    expect([await activeTokens("acme"), await activeTokens("bora")]).toEqual([0, 1]);
    expect(await keysBelow("tenants/acme/")).toEqual(kept);
    const refused = await bench.run(["token", "create", "--tenant", "acme"]);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("was removed at")]);
    const audit = await bench.run(["audit", "list", "--tenant", "acme", "--json"]);
    expect(JSON.parse(audit.stdout).records[0]).toMatchObject({
      command: "tenant remove",
      reason: "the contract ended",
      changes: [{ kind: "removal" }, { kind: "token", before: { revokedAt: null } }],
    });
  });

  test("P91 --purge leaves nothing of the tenant, and may be repeated", async () => {
    await issue("acme");
    await unlist("acme");
    expect([(await remove("acme", "--purge")).status, await keysBelow("tenants/acme/")]).toEqual([0, []]);
    const confirmed = await bench.run(["snapshot", "show", "--tenant", "acme"]);
    expect(confirmed.status).toBe(1);
    const found = await bench.store.get(confirmedKey);
    if (found.kind !== "object") throw new Error("runs/confirmed.json is missing");
    const text = Buffer.concat(await found.body.toArray()).toString();
    expect([text.includes("acme"), text.includes("bora")]).toEqual([false, true]);
    const again = await remove("acme", "--purge", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ revokedTokens: 0, deletedObjects: 0 });
    const { report } = await bench.build();
    expect([report.exitStatus, report.problems]).toEqual([0, []]);
    expect(await keysBelow("tenants/acme/")).toEqual([]);
  });

  test("P3 a tenant that comes back is published again, with a word, and a gateway that knew it believes it", async () => {
    for (const round of ["2", "3", "4"]) {
      await bench.insertPrograms("acme", { program_id: `round-${round}` });
      await bench.build();
    }
    const gateway = await startGatewayProcess({
      STORE_URL: `file:${bench.storeDirectory}`,
      LOG_LEVEL: "warn",
      RATE_LIMIT_REQUESTS: "1000000",
    });
    const client = createClient(gateway.api);
    try {
      // A gateway hears of tokens and snapshots within a second; until then it says what it knows.
      const gets = (token: string, count: number) =>
        eventually(
          async () => {
            const { status, body } = await client.get("/v1/programs", token);
            return { status, programs: Object(JSON.parse(body.toString())).data?.length };
          },
          ({ status, programs }) => status === 200 && programs === count,
        );
      await gets(await issue("acme"), 4);
      await unlist("acme");
      expect((await remove("acme", "--purge")).status).toBe(0);
      await list("acme");
      const { report } = await bench.build();
      expect(report.problems).toMatchObject([
        { code: "tenant_returned", value: "acme", severity: "warning" },
      ]);
      expect(tenantRun(report, "acme").generation).toBeGreaterThan(4);
      expect((await bench.build()).report.problems).toEqual([]);
      await gets(await issue("acme"), 1);
    } finally {
      client.close();
      gateway.signal("SIGKILL");
      await gateway.ended;
    }
  });

  test("P91 a first build under way publishes nothing of a tenant that was removed meanwhile", async () => {
    await list("slow");
    const gate = await gateSource(bench);
    try {
      await bench.run(["token", "create", "--tenant", "slow", "--allow-unpublished"]);
      const building = bench.build(["--tenant", "slow"]);
      await gate.reached();
      const removed = await remove("slow", "--purge", "--without-source");
      expect([removed.status, removed.stderr]).toEqual([0, ""]);
      await gate.open();
      const { report } = await building;
      expect(tenantRun(report, "slow")).toMatchObject({ outcome: "failed", failure: { code: "superseded" } });
      expect((await keysBelow("tenants/slow/")).filter((key) => key.endsWith("current.json"))).toEqual([]);
    } finally {
      await gate.close();
    }
  });
});

test("P208 the sandbox that was removed without its objects comes again by the steps that its refusal names", async () => {
  const init = (): Promise<CommandResult> => bench.run(["sandbox", "init"]);
  expect([(await init()).status, (await remove("sandbox")).status]).toEqual([0, 0]);
  const refused = await init();
  expect(refused.status).toBe(2);
  const [, command = ""] = /`(tenant remove [^`]*)`/.exec(refused.stderr) ?? [];
  expect([(await bench.run(command.split(" "))).status, (await init()).status]).toEqual([0, 0]);
});
