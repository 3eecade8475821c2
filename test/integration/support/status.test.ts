import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readTenants } from "../../../cli/support/facts/tenants.ts";
import { countingStore } from "../../../core/counting-store.ts";
import { damageLiveManifest } from "../../support/standing-plants.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "../../support/support-desk.ts";

const morning = new Date("2026-11-21T08:00:00.000Z");
const noon = new Date("2026-11-21T12:00:00.000Z");
let desk: SupportDesk;

beforeAll(async () => {
  desk = await openSupportDesk();
});

beforeEach(async () => {
  await desk.reset();
});

afterAll(async () => {
  await desk.close();
});

async function status(...args: readonly string[]) {
  return await desk.run(["snapshot", "status", ...args], { now: noon });
}

describe("snapshot status", () => {
  test("P56 says that nothing was published yet, and where it looked", async () => {
    const { status: exit, stdout, stderr } = await status();
    expect([exit, stdout]).toEqual([0, ""]);
    expect(stderr).toContain(`(file:${desk.storeDirectory}) holds nothing`);
  });

  test("tells of each tenant the live snapshot, its age, its programs and how the last run went", async () => {
    await desk.build({ now: morning });
    const { stdout } = await status();
    expect(stdout).toMatch(
      /^TENANT +LIVE SNAPSHOT +PUBLISHED +CONFIRMED +PROGRAMS +KEYS +HOLD +LAST TRY\nsakura-trails +20261121T080000Z-[0-9a-f]{8} +4 h +4 h +2 +0 +- +published 4 hours ago\n$/,
    );
  });

  test("P50 eight builds by hand and an hour of quiet are no sign that builds stopped; a day is", async () => {
    for (let minutes = 0; minutes < 8; minutes += 1) {
      await desk.build({ now: new Date(morning.getTime() + minutes * 60_000) });
    }
    await desk.source.query("UPDATE partner_source.programs SET name = 'Kyoto' WHERE program_id = 'KYOTO-1'");
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

  test("tells of one tenant relative and exact times", async () => {
    await desk.build({ now: morning });
    const { stdout } = await status("--tenant", deskTenant);
    expect(stdout).toContain("data of    4 hours ago (2026-11-21T08:00:00Z)");
    expect(stdout).toContain("hold       none");
    expect(stdout).toMatch(
      /last run {3}published 4 hours ago \(2026-11-21T08:00:00Z\), run 20261121T080000Z-/,
    );
  });

  test("P23 tells apart when a snapshot was published and when a later run found nothing changed", async () => {
    await desk.build({ now: morning });
    await desk.build({ now: new Date("2026-11-21T11:59:00.000Z") });
    expect((await status()).stdout).toMatch(/ 4 h +1 min +2 +0 +- +unchanged 1 minute ago\n$/);
  });

  test("P53 ends with the reason of a run that failed", async () => {
    await desk.build({ now: morning });
    await desk.source.query("UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'NARA-2'");
    await desk.build({ now: noon, args: ["--on-invalid", "fail"] });
    const { stdout } = await status();
    expect(stdout).toContain("failed just now");
    expect(stdout).toMatch(/ faulty programs \(21 November 2026, 12:00 UTC\): 1 program\(s\)/);
  });

  test("P19, P22 names programs that were left out, and a live snapshot without any", async () => {
    await desk.build({ now: morning });
    await desk.source.query("UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'NARA-2'");
    await desk.build({ now: new Date("2026-11-21T11:00:00.000Z") });
    expect((await status()).stdout).toContain("sakura-trails  last run left out 1 program with an error");
    await desk.source.query("UPDATE partner_source.programs SET lifecycle_state = 'ended'");
    await desk.build({ now: noon });
    const empty = "partners get an empty";
    expect((await status()).stdout).toContain(`sakura-trails  ${empty}`);
    expect((await status("--tenant", deskTenant)).stdout).toMatch(/attention +partners get an empty/);
  });

  test("names a tenant whose very first build failed, since its partners get 500", async () => {
    await desk.source.query("UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'NARA-2'");
    await desk.build({ now: noon, args: ["--on-invalid", "fail"] });
    expect((await status()).stdout).toMatch(/^sakura-trails +none +- +- +- +0 +- +failed just now$/m);
    expect((await status("--tenant", deskTenant)).stdout).toContain("partners get 500");
  });

  test("blames a run that failed as a whole on every tenant that it was to build", async () => {
    await desk.build({ now: morning });
    await desk.source.query("ALTER TABLE partner_source.faq RENAME TO gone");
    await desk.build({ now: noon });
    const { stdout } = await status("--tenant", deskTenant);
    expect(stdout).toContain("failed just now");
    expect(stdout).toContain("partner_source.faq");
  });

  test("tells of a hold since when and why it is", async () => {
    await desk.build({ now: morning });
    await desk.source.query(
      "UPDATE partner_source.programs SET name = 'Temples' WHERE program_id = 'KYOTO-1'",
    );
    await desk.build({ now: new Date("2026-11-21T09:00:00.000Z") });
    await desk.run(["snapshot", "rollback", "--tenant", deskTenant], { now: noon });
    const { stdout } = await status("--tenant", deskTenant);
    expect(stdout).toMatch(/hold +held since just now \(2026-11-21T12:00:00Z\) by ada@desk: rollback/);
  });

  test("calls a damaged tenant damaged, and still tells of the others", async () => {
    await desk.source.insert("tenants", { tenant_id: "alpine", name: "Alpine" });
    await desk.build({ now: morning });
    await writeFile(join(desk.storeDirectory, "tenants", "alpine", "current.json"), "{}");
    const { status: exit, stdout } = await status();
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^alpine +damaged/m);
    expect(stdout).toMatch(/^sakura-trails +2026/m);
    expect(stdout.replace(/\s+/g, " ")).toContain("damaged; current.json of tenant alpine");
  });

  test("P54 shows no tenant as live whose manifest gateways refuse", async () => {
    await desk.build({ now: morning });
    await damageLiveManifest(desk);
    const { tenants } = (await desk.json(["snapshot", "status"], { now: noon })) as {
      tenants: readonly { live: unknown; fault: string; concerns: readonly { kind: string }[] }[];
    };
    expect(tenants).toMatchObject([{ live: null, fault: expect.stringContaining("digest") }]);
    expect(tenants[0]?.concerns.map(({ kind }) => kind)).toEqual(["damaged"]);
    expect((await status()).stdout).toMatch(/^sakura-trails +damaged/m);
  });

  test("P53, P50 warns of a tenant that nothing was built of for long, also when it is held", async () => {
    await desk.build({ now: new Date("2026-11-18T08:00:00.000Z") });
    expect((await status()).stdout).toContain("has ended since 18 November 2026, 08:00 UTC");
    await desk.build({ now: morning });
    expect((await status()).stdout).not.toContain("has ended since");
  });

  test("says so when the document of the last runs cannot be read, and goes by what was confirmed", async () => {
    await desk.build({ now: morning });
    await writeFile(join(desk.storeDirectory, "runs", "last.json"), "{");
    const { stdout } = await status();
    expect(stdout).toContain("published 4 hours ago");
    expect(stdout).toContain("runs/last.json is not JSON");
  });

  test("goes by what was confirmed where no build has written the last runs yet", async () => {
    await desk.build({ now: morning });
    await rm(join(desk.storeDirectory, "runs", "last.json"));
    expect((await status()).stdout).toMatch(/ published 4 hours ago\n$/);
    const { tenants } = (await desk.json(["snapshot", "status"])) as { tenants: readonly object[] };
    expect(tenants).toMatchObject([{ lastRun: null, lastTry: { outcome: "published" } }]);
  });

  test("of a tenant that nobody knows is exit status 1", async () => {
    await desk.build({ now: morning });
    const { status: exit, stderr } = await status("--tenant", "nobody");
    expect(exit).toBe(1);
    expect(stderr).toContain("has nothing of tenant nobody");
    expect(stderr).toContain(`The store (file:${desk.storeDirectory}) holds other tenants.`);
  });

  test("prints an object for programs", async () => {
    await desk.build({ now: morning });
    const report = await desk.json(["snapshot", "status"], { now: noon });
    expect(report).toMatchObject({
      at: "2026-11-21T12:00:00.000Z",
      tenants: [
        {
          tenantId: deskTenant,
          live: { programs: 2, hold: null, ageSeconds: 4 * 3600 },
          lastRun: { outcome: "published", failure: null, counts: null },
          fault: null,
        },
      ],
      faults: [],
    });
  });

  test("costs two reads per tenant, one when the manifest was read lately, and six for all", async () => {
    await desk.build({ now: morning });
    const store = countingStore(desk.store);
    const read = () => readTenants({ store, signal: new AbortController().signal });
    // The last runs, what was confirmed, who was removed, the sandbox, the access keys and, without any,
    // the identity.
    await read();
    expect(store.requests().get).toBe(6 + 2);
    await read();
    expect(store.requests().get).toBe(6 + 2 + 6 + 1);
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

  test("works without any run report", async () => {
    await desk.build({ now: morning });
    await rm(join(desk.storeDirectory, "runs"), { recursive: true });
    expect((await status()).stdout).toMatch(/ 4 h +- +2 +0 +- +-\n\n +sakura-trails +no build is on/);
  });
});
