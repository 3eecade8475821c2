import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { AuditDocument } from "../../../schemas/generated/types.ts";
import type { CommandResult } from "../../support/command-line.ts";
import { freshWorkbench } from "../../support/workbench.ts";

const bench = freshWorkbench("acme");

beforeEach(async () => {
  await bench.insertMany("acme", 12);
  await bench.build();
});
async function done(...args: readonly string[]): Promise<CommandResult> {
  const result = await bench.run(args);
  expect([args.join(" "), result.status, result.stderr]).toEqual([args.join(" "), 0, expect.anything()]);
  return result;
}

async function records(...args: readonly string[]): Promise<readonly AuditDocument[]> {
  return JSON.parse((await done("audit", "list", "--json", ...args)).stdout).records;
}

async function issue(...args: readonly string[]): Promise<{ token: string; tokenId: string }> {
  return JSON.parse((await done("token", "create", "--tenant", "acme", "--json", ...args)).stdout);
}

async function storedAudit(): Promise<string> {
  const folder = join(bench.storeDirectory, "audit");
  const names = await readdir(folder).catch(() => []);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
}

describe("audit list", () => {
  test("P85 every command that changes something for partners leaves a record, before it and after it", async () => {
    const calls: (readonly string[])[] = [];
    const call = async (...args: readonly string[]): Promise<void> => {
      calls.push(args);
      await done(...args, "--reason", `number ${calls.length}`);
    };
    const { tokenId } = await issue();
    await call("token", "expire", tokenId, "--at", "90d");
    await call("token", "rotate", tokenId);
    await call("token", "revoke", "--tenant", "acme");
    await bench.source.query("DELETE FROM partner_source.programs WHERE program_id <> 'p-1'");
    await call("snapshot", "build", "--allow-shrink");
    await call("snapshot", "rollback", "--tenant", "acme");
    await call("snapshot", "release", "--tenant", "acme");
    await call("sandbox", "init");
    await call("sandbox", "init", "--remove");
    const found = await records();
    expect(found.map(({ command }) => command).sort()).toEqual(["token create", ...calls.map(named)].sort());
    expect(found.every(({ outcome }) => outcome === "done")).toBe(true);
    for (const [at, args] of calls.entries()) {
      const record = found.find(({ reason }) => reason === `number ${at + 1}`);
      expect(record, named(args)).toMatchObject({
        command: named(args),
        actor: { user: "ada", host: "desk" },
        changes: expect.arrayContaining([expect.anything()]),
      });
    }
    const build = found.find(({ command }) => command.startsWith("snapshot build"));
    expect(build?.changes).toMatchObject([{ kind: "snapshot", tenantId: "acme", after: { programs: 1 } }]);
    const rollback = found.find(({ command }) => command === "snapshot rollback");
    expect(rollback?.changes).toMatchObject([
      { before: { programs: 1, isHeld: false }, after: { programs: 12, isHeld: true } },
    ]);
  });

  test("P85 no record holds a token's plaintext or digest, and a reason that holds one is refused", async () => {
    const { token, tokenId } = await issue("--name", "Website", "--reason", "a new partner");
    await done("token", "rotate", tokenId);
    const registry = await readFile(join(bench.storeDirectory, "auth/tokens.json"), "utf8");
    const digests = [...registry.matchAll(/[0-9a-f]{64}/g)].map(([digest]) => digest);
    const stored = await storedAudit();
    expect(stored).toContain("Website");
    expect(digests).toHaveLength(2);
    for (const secret of [token, ...digests]) expect(stored).not.toContain(secret);
    const refused = await bench.run(["token", "create", "--tenant", "acme", "--reason", `for ${token}`]);
    expect([refused.status, refused.stderr.includes(token)]).toEqual([2, false]);
  });

  test("a command that changes nothing leaves no record", async () => {
    await done("snapshot", "release", "--tenant", "acme");
    await done("snapshot", "build", "--allow-shrink");
    await done("snapshot", "prune", "--dry-run");
    expect((await bench.run(["token", "revoke", "tok_0000000000000000"])).status).toBe(1);
    expect((await bench.run(["token", "create", "--tenant", "acmee"])).status).toBe(1);
    expect(await records()).toEqual([]);
  });

  test("P87 shows the newest first, of one tenant, since a time, and no more than asked for", async () => {
    await bench.source.insert("tenants", { tenant_id: "bora", name: "Bora" });
    await bench.insertMany("bora", 1);
    await bench.build();
    const at = (day: number) => ({ now: new Date(`2027-01-0${day}T12:00:00.000Z`) });
    for (const day of [1, 2, 3]) {
      await bench.run(["token", "create", "--tenant", "acme", "--reason", `day ${day}`], at(day));
    }
    await bench.run(["token", "create", "--tenant", "bora", "--reason", "day 4"], at(4));
    const days = async (...args: readonly string[]) => (await records(...args)).map(({ reason }) => reason);
    expect(await days()).toEqual(["day 4", "day 3", "day 2", "day 1"]);
    expect(await days("--tenant", "acme", "--limit", "2")).toEqual(["day 3", "day 2"]);
    expect(await days("--since", "2027-01-03T12:00:00Z")).toEqual(["day 4", "day 3"]);
    const shown = await done("audit", "list", "--limit", "1");
    expect(shown.stdout).toMatch(
      /^WHEN +COMMAND +TENANT +WHO +END +WHAT +REASON\n2027-01-04T12:00:00Z +token create +bora +ada@desk +done/,
    );
    expect(shown.stderr).toContain("Older records");
    const unknown = await bench.run(["audit", "list", "--tenant", "acmee"]);
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining("Did you mean acme?")]);
  });
});

function named(args: readonly string[]): string {
  const words = args.slice(0, 2).join(" ");
  return args.includes("--allow-shrink") ? `${words} --allow-shrink` : words;
}
