import { beforeEach, describe, expect, test } from "vitest";
import { sandboxCases, sandboxPrograms } from "../../../cli/partners/sandbox/sandbox-programs.ts";
import { storedConfirmations } from "../../support/confirmed-document.ts";
import { sandboxVariables } from "../../support/sandbox-env.ts";
import { freshWorkbench } from "../../support/workbench.ts";

const bench = freshWorkbench("acme");

beforeEach(async () => {
  await bench.insertPrograms("acme", "p1", "p2");
});
const init = (...args: readonly string[]) => bench.run(["sandbox", "init", ...args]);

async function tokens(): Promise<readonly { readonly name: string; readonly status: string }[]> {
  return JSON.parse((await bench.run(["token", "list", "--tenant", "sandbox", "--json"])).stdout);
}

describe("sandbox init", () => {
  test("P97 publishes its programs by the way of all programs, without a finding, beside real tenants", async () => {
    await bench.build();
    const before = await bench.published("acme");
    const { status, stderr } = await init();
    expect([status, stderr.includes("15 programs")]).toEqual([0, true]);
    const published = await bench.published("sandbox");
    const live = sandboxPrograms.filter(({ lifecycleState }) => lifecycleState === "active");
    expect([...published.details.keys()].sort()).toEqual(live.map(({ programId }) => programId).sort());
    expect(sandboxCases.map(({ programId }) => programId).sort()).toEqual(
      sandboxPrograms.map(({ programId }) => programId).sort(),
    );
    expect((await bench.published("acme")).bytes).toEqual(before.bytes);
    expect((await bench.run(["snapshot", "verify"])).status).toBe(0);
  });

  test("P97 no run builds it, names it as vanished or knows its age", async () => {
    await init();
    const before = await bench.published("sandbox");
    const { status, report } = await bench.build();
    expect([status, report.problems, report.tenants.map(({ tenantId }) => tenantId)]).toEqual([
      0,
      [],
      ["acme"],
    ]);
    const asked = await bench.run(["snapshot", "build", "--tenant", "sandbox"]);
    expect([asked.status, asked.stderr]).toEqual([1, expect.stringContaining("`sandbox init` publishes it")]);
    expect((await bench.published("sandbox")).bytes).toEqual(before.bytes);
    expect(Object.keys((await storedConfirmations(bench.store)) ?? {})).toEqual(["acme"]);
    const shown = await bench.run(["snapshot", "status", "--tenant", "sandbox", "--json"]);
    expect(JSON.parse(shown.stdout).tenants[0]).toMatchObject({
      notInSource: null,
      live: { confirmedAt: null },
    });
  });

  test("P97 a second call changes nothing and issues nothing", async () => {
    const first = sandboxVariables((await init()).stdout);
    expect(Object.keys(first)).toHaveLength(5);
    const before = await bench.tree();
    const second = await init();
    expect([second.status, second.stdout, second.stderr.includes("unchanged")]).toEqual([0, "", true]);
    expect(await bench.tree()).toEqual(before);
  });

  test("P97 of each kind there is one token that does what it is for, and --rotate issues all anew", async () => {
    const first = sandboxVariables((await init()).stdout);
    const kinds = [
      ["sandbox: good", "active"],
      ["sandbox: small-quota", "active"],
      ["sandbox: without-scope", "active"],
      ["sandbox: expired", "expired"],
      ["sandbox: revoked", "revoked"],
    ];
    expect((await tokens()).map(({ name, status }) => [name, status])).toEqual(kinds);
    const good = JSON.parse((await bench.run(["token", "list", "--json"])).stdout)[0].tokenId;
    await bench.run(["token", "revoke", good]);
    expect(Object.keys(sandboxVariables((await init()).stdout))).toEqual(["SANDBOX_TOKEN"]);
    const rotated = sandboxVariables((await init("--rotate")).stdout);
    expect(Object.keys(rotated)).toEqual(Object.keys(first));
    expect(new Set([...Object.values(first), ...Object.values(rotated)]).size).toBe(10);
    const open = (await tokens()).filter(({ status }) => status === "active");
    expect(open.map(({ name }) => name)).toEqual(kinds.slice(0, 3).map(([name]) => name));
  });

  test("P97 it refuses an id that source or store has, and changes nothing", async () => {
    await bench.build();
    await bench.source.insert("tenants", { tenant_id: "sandbox", name: "A real one" });
    const before = await bench.tree();
    for (const [args, who] of [
      [[], /database has .* sandbox\b/],
      [["--tenant", "acme"], /database has .* acme\b/],
      [["--tenant", "acme", "--without-source"], /store has .* acme\b/],
    ] as const) {
      const { status, stderr } = await init(...args);
      expect([status, stderr]).toEqual([2, expect.stringMatching(who)]);
    }
    expect([await bench.tree(), (await init("--tenant", "partner-sandbox")).status]).toEqual([before, 0]);
    expect((await init("--tenant", "another")).stderr).toContain("another sandbox already: partner-sandbox");
  });

  test("P97 a tenant of the source that takes its id later is an error and shows partners nothing", async () => {
    await init();
    await bench.source.insert("tenants", { tenant_id: "sandbox", name: "A real one" });
    await bench.insertPrograms("sandbox", "secret");
    const { status, report } = await bench.build();
    expect(status).toBe(3);
    expect(report.problems).toMatchObject([
      { code: "tenant_is_sandbox", severity: "error", value: "sandbox" },
    ]);
    expect((await bench.published("sandbox")).details.has("secret")).toBe(false);
    expect((await init()).status).toBe(2);
  });
});
