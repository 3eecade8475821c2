import { describe, expect, test } from "vitest";
import { freshForEachTest } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

const morning = new Date("2026-11-21T08:00:00.000Z");
const noon = new Date("2026-11-21T12:00:00.000Z");
const desk = freshForEachTest(openSupportDesk);

async function status(...args: readonly string[]) {
  return await desk.run(["snapshot", "status", ...args], { now: noon });
}

describe("snapshot status", () => {
  test("P53 eight builds by hand and an hour of quiet are no sign that builds stopped; a day is", async () => {
    for (let minutes = 0; minutes < 8; minutes += 1) {
      await desk.build({ now: new Date(morning.getTime() + minutes * 60_000) });
    }
    await desk.source.update("name = 'Kyoto'", "KYOTO-1");
    const explain = ["snapshot", "explain", "--tenant", deskTenant, "--program", "KYOTO-1"];
    const told = async (now: Date, ...args: readonly string[]): Promise<string> =>
      [
        await desk.run(["snapshot", "status", ...args], { now }),
        await desk.run([...explain, ...args], { now }),
      ]
        .map(({ stdout }) => stdout.replace(/\s+/g, " "))
        .join();
    const quiet = new Date(morning.getTime() + 2 * 3_600_000);
    expect(await told(quiet)).not.toMatch(/no build has ended since/);
    expect(await told(quiet, "--build-within", "1h")).toMatch(
      /no build has ended since .* within 60 minutes.*no build has ended since .* within 60 minutes/,
    );
    const later = new Date(morning.getTime() + 27 * 3_600_000);
    expect(await told(later)).toMatch(/within 26 hours.*no build has ended since/);
    expect(await told(later, "--build-within", "2d")).not.toMatch(/no build has ended since/);
  });

  test("P23 tells apart when a snapshot was published and when a later run found nothing changed", async () => {
    await desk.build({ now: morning });
    await desk.build({ now: new Date("2026-11-21T11:59:00.000Z") });
    expect((await status()).stdout).toMatch(/ 4 h +1 min +2 +0 +- +unchanged 1 minute ago\n$/);
  });

  test("P22 names a live snapshot without any program", async () => {
    await desk.build({ now: morning });
    await desk.source.update("lifecycle_state = 'ended'");
    await desk.build({ now: noon });
    expect((await status()).stdout).toContain("sakura-trails  partners get an empty");
    expect((await status("--tenant", deskTenant)).stdout).toMatch(/attention +partners get an empty/);
  });

  test("tells of a tenant that the source no longer lists", async () => {
    await desk.source.insert("tenants", { tenant_id: "alpine", name: "Alpine" });
    await desk.build({ now: morning });
    await desk.source.query("DELETE FROM partner_source.tenants WHERE tenant_id = 'alpine'");
    await desk.build({ now: new Date("2026-11-21T11:00:00.000Z") });
    const { stdout } = await status();
    expect(stdout).toMatch(/^sakura-trails .* unchanged 60 minutes ago$/m);
    expect(stdout).toContain("list this tenant on 21 November 2026, 11:00 UTC");
    expect((await status("--tenant", "alpine")).stdout).toContain(
      "last run   not in the source at 60 minutes ago",
    );
  });

  test("the sandbox has no age, is not lost, and its programs are not looked for in the booking system", async () => {
    await desk.build({ now: noon });
    expect((await desk.run(["sandbox", "init"], { now: noon })).status).toBe(0);
    const later = new Date(noon.getTime() + 9 * 24 * 3_600_000);
    await desk.build({ now: later });
    const { tenants } = (await desk.json(["snapshot", "status"], { now: later })) as {
      readonly tenants: readonly {
        readonly tenantId: string;
        readonly live: object;
        readonly concerns: object[];
      }[];
    };
    const sandbox = tenants.find(({ tenantId }) => tenantId === "sandbox");
    expect(sandbox).toMatchObject({ isSandbox: true, live: { ageSeconds: null }, notInSource: null });
    expect(sandbox?.concerns.filter((concern) => !JSON.stringify(concern).includes("token_"))).toEqual([]);
    const show = await desk.run(["snapshot", "show", "--tenant", "sandbox", "--list"]);
    const [first] = JSON.parse(show.stdout).data as readonly [{ readonly id: string }];
    for (const [program, row] of [
      [first.id, "served_same"],
      ["NO-SUCH", "missing_unknown"],
    ] as const) {
      const args = ["snapshot", "explain", "--tenant", "sandbox", "--program", program];
      const { stdout } = await desk.run([...args, "--json"], { now: later });
      expect(JSON.parse(stdout)).toMatchObject({ row });
      expect((await desk.run(args, { now: later })).stdout).not.toMatch(/booking system|snapshot build/);
    }
  });
});
