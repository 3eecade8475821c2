import { randomBytes } from "node:crypto";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { viewsSkeleton } from "../../../cli/operate/source-check/empty-views.ts";
import { runCommand } from "../../support/command-line.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { markedBlock, page } from "../../support/markdown.ts";
import { createTestDatabase } from "../../support/postgres.ts";

const { text } = page("docs/cookbook.md");
const { text: guide } = page("docs/first-day.md");
const database = forAllTests(() => createTestDatabase({ isEmpty: true }));
const directory = folderForAllTests();

beforeAll(async () => {
  await database.query(markedBlock(text, "example: tables"));
  await database.query(`
    INSERT INTO travel.brands VALUES (1, 'alpine-walks', 'Alpine Walks', 'Europe/Vienna');
    INSERT INTO travel.trips VALUES
      ('11111111-1111-4111-8111-111111111111', 1, 'High route', 'offered', '2061-06-01 22:30+00', '2061-06-08 10:00+00',
       20, 'eur', 'Hiking', 990, 'Seven days', '["https://cdn.example.com/1.jpg", "https://cdn.example.com/2.jpg"]',
       '["Breakfast"]', 12.5),
      ('22222222-2222-4222-8222-222222222222', 1, 'Over', 'offered', '2021-06-01', '2021-06-08', 20, 'eur', NULL, 990,
       NULL, NULL, NULL, 12.5);
    INSERT INTO travel.rates VALUES
      ('11111111-1111-4111-8111-111111111111', 2, NULL, NULL, 1290.50),
      ('11111111-1111-4111-8111-111111111111', NULL, 2, 11, 590);
    INSERT INTO travel.nights VALUES
      ('11111111-1111-4111-8111-111111111111', 1, 'Gasthof', 'Lech', '2061-06-02', '2061-06-08', '****', '+43 1');
    INSERT INTO travel.people VALUES
      ('11111111-1111-4111-8111-111111111111', 'A Traveller', 'confirmed', false),
      ('11111111-1111-4111-8111-111111111111', 'A Driver', 'confirmed', true);`);
  await database.query(markedBlock(text, "example: views"));
});

describe("the worked example of the cookbook, with the role of the first day", () => {
  test("keeps the contract once empty views stand in for what the company does not have", async () => {
    const env = { DATABASE_URL: database.url };
    const init = await runCommand(["source", "init", "--views-only"], { env });
    expect(init.stdout).toMatch(
      /partner_source\.staff, partner_source\.flights, partner_source\.itinerary, partner_source\.faq/,
    );
    const check = await runCommand(["source", "check", "--json"], {
      env,
      now: new Date("2060-12-01T00:00:00Z"),
    });
    const rows = { tenants: 1, programs: 2 };
    expect(JSON.parse(check.stdout)).toMatchObject({ isBroken: false, problems: [], rows });
  });

  test("gives a role that can build, and can read none of the tables behind the views", async () => {
    const role = `docs_${randomBytes(6).toString("hex")}`;
    await database.query(markedBlock(guide, "example: role").replaceAll("generator", role));
    const grants = viewsSkeleton()
      .split("\n")
      .filter((line) => line.includes(':"generator"'));
    await database.query(grants.join("\n").replaceAll(':"generator"', role));
    try {
      const url = new URL(database.url);
      url.username = role;
      url.password = "change-me";
      const env = { DATABASE_URL: url.href, STORE_URL: `file:${directory}`, LOG_LEVEL: "silent" };
      expect(await runCommand(["snapshot", "build"], { env })).toMatchObject({ status: 0 });
      const program = ["--tenant", "alpine-walks", "--program", "11111111-1111-4111-8111-111111111111"];
      const shown = await runCommand(["snapshot", "show", ...program, "--raw"], { env });
      expect(JSON.parse(shown.stdout).data).toMatchObject({
        departureDate: "2061-06-02",
        returnDate: "2061-06-08",
        capacity: { total: 20, used: 1, remaining: 19 },
        currency: "EUR",
        prices: {
          startingAmount: 1290.5,
          rooms: [{ occupancy: 2, amount: 1290.5 }],
          children: [{ minAge: 2, maxAge: 11, amount: 590 }],
        },
        hotels: [{ name: "Gasthof", starLevel: 4 }],
        media: { coverUrl: "https://cdn.example.com/1.jpg", galleryUrls: ["https://cdn.example.com/2.jpg"] },
        content: { included: ["Breakfast"] },
      });
      await withClient(url.href, async (client) => {
        await expect(client.query("SELECT full_name FROM travel.people")).rejects.toThrow(
          "permission denied",
        );
      });
    } finally {
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  test("tells of a change by a trigger, once for a statement on many programs", async () => {
    await database.query(markedBlock(text, "example: notify"));
    const told: (string | undefined)[] = [];
    await withClient(database.url, async (client) => {
      client.on("notification", ({ payload }) => told.push(payload));
      await client.query("LISTEN partner_source_changed");
      // The server sends a session its own notifications before it says that the statement is done.
      await client.query("UPDATE travel.trips SET seats = seats + 1");
      await client.query("SELECT");
    });
    expect(told).toEqual(["alpine-walks"]);
  });
});

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
