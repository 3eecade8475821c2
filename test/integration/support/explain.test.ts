import { describe, expect, test } from "vitest";
import type { CommandOptions } from "../../support/command-line.ts";
import { freshForEachTest } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

const morning = new Date("2026-11-21T08:00:00.000Z");
const noon = new Date("2026-11-21T12:00:00.000Z");
const desk = freshForEachTest(openSupportDesk);

async function explain(programId: string, options: CommandOptions = {}): Promise<string> {
  const args = ["snapshot", "explain", "--tenant", deskTenant, "--program", programId];
  const { status, stdout } = await desk.run(args, { now: noon, ...options });
  expect(status).toBe(0);
  return unwrapped(stdout);
}

/** Each paragraph and each fact on one line. */
const unwrapped = (text: string): string => text.replace(/\n {4,}(?=\S)/g, " ");

async function change(sql: string): Promise<void> {
  await desk.source.query(sql);
}

describe("snapshot explain", () => {
  test("says of every value that is not published what partners see instead, with the rule's code", async () => {
    await change(`
      UPDATE partner_source.programs SET cover_url = 'http://img.example/x.jpg' WHERE program_id = 'KYOTO-1';
      INSERT INTO partner_source.room_prices VALUES ('sakura-trails', 'KYOTO-1', 3, 0)`);
    await desk.build({ now: morning });
    const text = (await explain("KYOTO-1")).replace(/\s+/g, " ");
    expect(text).toMatch(
      /but for 2 values .* .{3,40} \(\{"occupancy":3,"amount":"?0"?\}\): a room price needs/,
    );
    expect(text).toMatch(
      /Media, cover url \("http:\/\/img\.example\/x\.jpg"\): [^:]*\. \(url_dropped, media\.coverUrl\)/,
    );
    expect(text).toContain("(room_price_dropped, prices.rooms[2])");
    expect(text).toContain("Next: If a value above");
  });

  test("P48 tells that a program of a snapshot that was rolled back was taken out by the rollback", async () => {
    await desk.build({ now: morning });
    await change(
      "UPDATE partner_source.programs SET lifecycle_state = 'active' WHERE program_id = 'OSAKA-3'",
    );
    await desk.build({ now: new Date("2026-11-21T09:00:00.000Z") });
    await desk.run(["snapshot", "rollback", "--tenant", deskTenant], { now: noon });
    const text = await explain("OSAKA-3");
    expect(text).toMatch(/out by a rollback, .* \(20\S+Z\)/);
    // The other one is as the live snapshot has it, not as the withdrawn one.
    expect(await explain("KYOTO-1")).toMatch(/content +as built by 20261121T080000Z-/);
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
    expect(text).toMatch(/^Partners see it\. .* not known/m);
    expect(text).toContain(reason);
    expect(text).not.toContain("secret");
    expect(await explain("OSAKA-3", { env })).toMatch(/^Partners .* \(404\)/m);
  });

  test("of a sold-out program shows who takes its places, and of no other", async () => {
    await change("DELETE FROM partner_source.enrollments WHERE program_id = 'KYOTO-1'");
    expect(await explain("KYOTO-1")).not.toContain("sold out");
    await change(`
      UPDATE partner_source.programs SET capacity_total = 2 WHERE program_id = 'KYOTO-1';
      INSERT INTO partner_source.enrollments VALUES ('sakura-trails', 'KYOTO-1', 'batal', 'passenger'),
        ('sakura-trails', 'KYOTO-1', 'batal', 'passenger'), ('sakura-trails', 'KYOTO-1', 'cancelled', 'passenger')`);
    expect(await explain("KYOTO-1")).toMatch(
      /^ {2}sold out +batal \(2\): takes a place cancelled \(1\): takes no place TERMINAL_ENROLLMENT_STATUSES names/m,
    );
    const command = ["snapshot", "explain", "--tenant", deskTenant, "--program", "KYOTO-1"];
    expect(await desk.json(command, { now: noon })).toMatchObject({
      source: { statuses: [{ status: "batal", count: 2, takesPlace: true }, { takesPlace: false }] },
    });
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
      row: "served_differs/none",
      source: { kind: "publishable", dropped: [] },
      live: {
        kind: "live",
        served: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        history: { isServed: true },
      },
      pendingChanges: [
        { kind: "changed", path: "currency", before: "EUR", after: "USD", words: { label: "Currency" } },
      ],
      lastRun: { outcome: "published", problems: null },
      next: { commands: ["snapshot build --tenant sakura-trails"] },
    });
  });

  test("all that keeps a program from partners is said at once, and then what they would not see of it", async () => {
    await desk.build({ now: noon });
    await desk.source.query(`
    UPDATE partner_source.programs SET lifecycle_state = 'on sale', name = ' ', cover_url = 'http://img.example/x.jpg'
     WHERE program_id = 'KYOTO-1'`);
    const explained = (await desk.json(
      ["snapshot", "explain", "--tenant", deskTenant, "--program", "KYOTO-1"],
      { now: noon },
    )) as {
      readonly summary: string;
      readonly next: { readonly text: string };
      readonly source: { readonly problems: readonly { code: string; programId: string }[] };
    };
    expect(explained.summary).toMatch(
      /cannot be published: Its state "on sale" is not .* It has no name.* would still not be shown whole: Media, cover url/,
    );
    expect(explained.next.text).toMatch(/corrected in the booking system: State, Name\..*Media, cover url/);
    expect(explained.source).toMatchObject({
      problems: [
        { code: "lifecycle_state_unknown", programId: "KYOTO-1" },
        { code: "program_name_blank", programId: "KYOTO-1" },
      ],
      dropped: [{ code: "url_dropped" }],
    });
  });
});
