import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CommandOptions } from "../../support/command-line.ts";
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

async function explain(programId: string, options: CommandOptions = {}): Promise<string> {
  const args = ["snapshot", "explain", "--tenant", deskTenant, "--program", programId];
  const { status, stdout } = await desk.run(args, { now: noon, ...options });
  expect(status).toBe(0);
  return stdout;
}

async function change(sql: string): Promise<void> {
  await desk.source.query(sql);
}

describe("snapshot explain", () => {
  test("says that all is well with a program that is served as the source has it", async () => {
    await desk.build({ now: morning });
    const text = await explain("KYOTO-1");
    expect(text).toContain("Served: partners get 200, and exactly what the source has now.");
    expect(text).toContain("up to date  yes: a build now would not change it");
    expect(text).toMatch(
      /served +first in 20261121T080000Z-[0-9a-f]{8}, 4 hours ago \(2026-11-21T08:00:00Z\)/,
    );
  });

  test("names every value that was dropped, with the rule that decided it", async () => {
    await change(`
      UPDATE partner_source.programs SET cover_url = 'http://img.example/x.jpg' WHERE program_id = 'KYOTO-1';
      INSERT INTO partner_source.room_prices VALUES ('sakura-trails', 'KYOTO-1', 3, 0)`);
    await desk.build({ now: morning });
    const text = await explain("KYOTO-1");
    expect(text.replace(/\s+/g, " ")).toContain("2 values of the source are not published, by rule");
    expect(text).toContain("dropped media.coverUrl = http://img.example/x.jpg: only absolute https URLs");
    expect(text).toMatch(/dropped prices\.rooms\[2\] = \{"occupancy":3,"amount":"0"\}/);
    expect(text).toContain("Next: Should a value named above be published?");
  });

  test("tells what the next build would change of what is served", async () => {
    await desk.build({ now: morning });
    await change("UPDATE partner_source.room_prices SET amount = 990 WHERE occupancy = 1");
    const text = await explain("KYOTO-1");
    expect(text).toContain("older than the source: the next build changes it (prices)");
    expect(text).toContain("prices.rooms[0].amount: 1490 → 990");
    expect(text).toMatch(/\n {2}partner-programs snapshot build --tenant sakura-trails\n$/);
  });

  test("names the lifecycle state that keeps a program from being published", async () => {
    await desk.build({ now: morning });
    const text = await explain("OSAKA-3");
    expect(text).toContain('Partners get 404: its lifecycle state is "draft"');
  });

  test("names the snapshots that first and last served a program, and the one that took it out", async () => {
    await desk.build({ now: morning });
    await change("UPDATE partner_source.programs SET name = 'Deer' WHERE program_id = 'NARA-2'");
    await desk.build({ now: new Date("2026-11-21T09:00:00.000Z") });
    await change("DELETE FROM partner_source.programs WHERE program_id = 'NARA-2'");
    await desk.build({ now: new Date("2026-11-21T10:00:00.000Z") });
    const text = await explain("NARA-2");
    expect(text).toContain("the source no longer has program NARA-2 of this tenant");
    expect(text).toMatch(/first in 20261121T080000Z-\w+, 4 hours ago/);
    expect(text).toMatch(/last in 20261121T090000Z-\w+, 3 hours ago/);
    expect(text).toMatch(/taken out by 20261121T100000Z-\w+, 2 hours ago/);
    expect(text).toContain("restore it in the booking system");
  });

  test("names the field and the value that make a program invalid, and what the last run said", async () => {
    await desk.build({ now: morning });
    await change("UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'KYOTO-1'");
    await desk.build({ now: noon, args: ["--on-invalid", "fail"] });
    const text = await explain("KYOTO-1");
    expect(text).toContain("Served as it was; what the source has now is invalid");
    expect(text).toContain('name = " ": a program needs a name (program_name_blank)');
    expect(text).toMatch(/last run +failed just now/);
  });

  test("tells that a program waits for a build that a hold keeps back", async () => {
    await desk.build({ now: morning });
    await change("UPDATE partner_source.programs SET name = 'Temples' WHERE program_id = 'KYOTO-1'");
    await desk.build({ now: new Date("2026-11-21T09:00:00.000Z") });
    await desk.run(["snapshot", "rollback", "--tenant", deskTenant], { now: noon });
    await change(
      "UPDATE partner_source.programs SET lifecycle_state = 'active' WHERE program_id = 'OSAKA-3'",
    );
    const text = await explain("OSAKA-3");
    expect(text).toContain("Partners get 404 for now");
    expect(text).toContain("Next: The tenant is held (rollback");
    expect(text).toContain("partner-programs snapshot release --tenant sakura-trails\n");
  });

  test("tells that a program of a snapshot that was rolled back was taken out by the rollback", async () => {
    await desk.build({ now: morning });
    await change(
      "UPDATE partner_source.programs SET lifecycle_state = 'active' WHERE program_id = 'OSAKA-3'",
    );
    await desk.build({ now: new Date("2026-11-21T09:00:00.000Z") });
    await desk.run(["snapshot", "rollback", "--tenant", deskTenant], { now: noon });
    expect(await explain("OSAKA-3")).toContain("taken out by a rollback");
  });

  test("finds the program under another spelling or another tenant", async () => {
    await desk.source.insert("tenants", { tenant_id: "alpine", name: "Alpine" });
    await desk.source.insert("programs", {
      tenant_id: "alpine",
      program_id: "EIGER",
      name: "Eiger",
      lifecycle_state: "active",
    });
    await desk.build({ now: morning });
    expect(await explain("kyoto-1")).toContain('The source spells it "KYOTO-1"');
    const text = await explain("EIGER");
    expect(text).toContain("The source has it under tenant alpine");
    expect(text).toContain("partner-programs snapshot explain --tenant alpine --program EIGER\n");
  });

  test("says that an id is ill-formed rather than refuse it", async () => {
    await desk.build({ now: morning });
    expect(await explain("A/B 17")).toContain('Partners get 400: "A/B 17" is no well-formed program id.');
  });

  test("says that two programs of one id are both left out", async () => {
    await desk.source.insert("programs", {
      tenant_id: deskTenant,
      program_id: "NARA-2",
      name: "Twin",
      lifecycle_state: "active",
    });
    await desk.build({ args: ["--on-invalid", "skip"], now: morning });
    expect(await explain("NARA-2")).toContain("two programs of one tenant have the same id");
  });

  test("tells of a tenant that was never published, and of one that the source does not list", async () => {
    expect(await explain("KYOTO-1")).toContain("has no published snapshot");
    await desk.build({ now: morning });
    await change("DELETE FROM partner_source.tenants");
    expect(await explain("KYOTO-1")).toContain("though the source no longer lists the tenant");
    expect(await explain("OSAKA-3")).toContain("partner_source.tenants does not list the tenant");
  });

  test.each([
    [
      "cannot be reached",
      { DATABASE_URL: "postgres://nobody:secret@127.0.0.1:1/none" },
      "could not be reached",
    ],
    ["is not set up", { DATABASE_URL: undefined, DATA_DIR: "/nowhere/data" }, "DATABASE_URL is not set"],
  ])("tells what the store knows when the database %s, and says so", async (_, env, reason) => {
    await desk.build({ now: morning });
    const text = await explain("KYOTO-1", { env });
    expect(text).toContain(
      "Served: partners get 200. Whether the booking database has changed since is unknown",
    );
    expect(text).toContain(reason);
    expect(text).not.toContain("secret");
    expect(await explain("OSAKA-3", { env })).toContain(
      "Partners get 404: the live snapshot does not have it",
    );
  });

  test("tells that the stored program is damaged, and how to find out how much", async () => {
    await desk.build({ now: morning });
    const { snapshotId } = (await desk.json(["snapshot", "show", "--tenant", deskTenant])) as {
      snapshotId: string;
    };
    const file = join(
      desk.storeDirectory,
      "tenants",
      deskTenant,
      "snapshots",
      snapshotId,
      "v1/programs/KYOTO-1.json",
    );
    await writeFile(file, (await readFile(file, "utf8")).replace("Temples", "Tempels"));
    const text = await explain("KYOTO-1");
    expect(text).toContain("Partners get 500");
    expect(text).toContain("partner-programs snapshot verify --tenant sakura-trails\n");
  });

  test("prints an object for programs", async () => {
    await desk.build({ now: morning });
    await change("UPDATE partner_source.programs SET currency = 'USD' WHERE program_id = 'KYOTO-1'");
    const explanation = await desk.json(
      ["snapshot", "explain", "--tenant", deskTenant, "--program", "KYOTO-1"],
      { now: noon },
    );
    expect(explanation).toMatchObject({
      at: "2026-11-21T12:00:00.000Z",
      answer: 200,
      verdict: "served_outdated",
      source: { kind: "publishable", dropped: [] },
      live: {
        kind: "live",
        served: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        history: { isServed: true },
      },
      pendingChanges: [{ kind: "changed", path: "currency", before: "EUR", after: "USD" }],
      lastRun: { outcome: "published", problems: [] },
      next: { commands: ["snapshot build --tenant sakura-trails"] },
    });
  });
});
