import { once } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forAllTests } from "../../support/lasting.ts";
import { createTestDatabase } from "../../support/postgres.ts";

const database = forAllTests(createTestDatabase);
let listener: pg.Client;
const heard: string[] = [];

beforeAll(async () => {
  await database.query(`
    INSERT INTO booking.companies (code, name, time_zone, default_currency)
    VALUES ('one', 'One', 'UTC', 'EUR'), ('two', 'Two', 'UTC', 'EUR')`);
  await database.query(
    "INSERT INTO booking.programs (company_code, code, name) VALUES ('one', 'P1', 'A'), ('two', 'P2', 'B')",
  );
  await database.query("INSERT INTO booking.airlines (code, name) VALUES ('XY', 'Example Air')");
  listener = new pg.Client({ connectionString: database.url });
  await listener.connect();
  listener.on("notification", ({ channel, payload }) => heard.push(`${channel}:${payload}`));
  await listener.query("LISTEN partner_source_changed; LISTEN last_word");
});

afterAll(async () => {
  await listener.end();
});

/**
 * The tenants that a statement is announced for; a last notification of our own tells when all have arrived.
 */
async function announced(statement: string): Promise<readonly string[]> {
  heard.length = 0;
  await database.query(statement);
  await database.query("NOTIFY last_word");
  while (!heard.includes("last_word:")) await once(listener, "notification");
  return heard
    .filter((word) => !word.startsWith("last_word"))
    .map((word) => word.split(":")[1] ?? "")
    .sort();
}

describe("NOTIFY partner_source_changed, '<tenant id>'", () => {
  test("a change of a row names the row's company only", async () => {
    expect(await announced("UPDATE booking.programs SET capacity = 5 WHERE code = 'P1'")).toEqual(["one"]);
    expect(await announced("INSERT INTO booking.faq VALUES ('two', 'P2', 1, 'Why?', 'Because.')")).toEqual([
      "two",
    ]);
    expect(await announced("DELETE FROM booking.faq")).toEqual(["two"]);
    const hotel = "INSERT INTO booking.hotels (company_code, code, name) VALUES ('one', 'H', 'Inn')";
    expect(await announced(hotel)).toEqual(["one"]);
    expect(
      await announced("UPDATE booking.companies SET default_currency = 'CHF' WHERE code = 'two'"),
    ).toEqual(["two"]);
  });

  test("a change of what all companies share, and an emptied table, name all of them", async () => {
    expect(await announced("UPDATE booking.airlines SET logo_url = 'https://example.com/xy.svg'")).toEqual([
      "one",
      "two",
    ]);
    expect(await announced("TRUNCATE booking.faq")).toEqual(["one", "two"]);
  });

  test("every table behind the views announces its changes", async () => {
    const silent = await database.query<{ name: string }>(`
      SELECT DISTINCT source.relname AS name
        FROM pg_rewrite AS rule
        JOIN pg_class AS view ON view.oid = rule.ev_class AND view.relnamespace = 'partner_source'::regnamespace
        JOIN pg_depend AS uses ON uses.classid = 'pg_rewrite'::regclass AND uses.objid = rule.oid
         AND uses.refclassid = 'pg_class'::regclass
        JOIN pg_class AS source ON source.oid = uses.refobjid AND source.relkind = 'r'
       WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = source.oid AND tgname LIKE 'notify%')`);
    expect(silent).toEqual([]);
  });
});
