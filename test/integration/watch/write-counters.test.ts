import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withSourcePool } from "../../../cli/database/connect.ts";
import { readWriteCounters } from "../../../cli/publish/watch/write-counters.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
let readerUrl: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.query(`
    INSERT INTO booking.companies (code, name, time_zone, default_currency) VALUES ('one', 'One', 'UTC', 'EUR');
    INSERT INTO booking.programs (company_code, code, name) VALUES ('one', 'P1', 'A');
    CREATE TABLE public.unrelated (n int);
    CREATE TABLE public.parts (tenant_id text COLLATE "C", program_id text COLLATE "C", position int, question text, answer text)
      PARTITION BY LIST (tenant_id);
    CREATE TABLE public.part_one PARTITION OF public.parts FOR VALUES IN ('one');
    CREATE TABLE public.cities (name text);
    CREATE MATERIALIZED VIEW public.known_cities AS SELECT name FROM public.cities;
    CREATE OR REPLACE VIEW partner_source.faq AS
      SELECT tenant_id, program_id, position, question, answer FROM public.parts
       WHERE EXISTS (SELECT FROM public.known_cities)`);
  readerUrl = await database.createReader();
});

afterAll(async () => {
  await database.drop();
});

/** As the generator's own role sees them, which may read the views and nothing behind them. */
async function counters(): Promise<string> {
  // Statistics of a session that does not end are told a little later.
  await database.query("SELECT pg_stat_force_next_flush()");
  const { signal } = new AbortController();
  return await withSourcePool({ databaseUrl: readerUrl, connections: 1, signal }, (pool) =>
    pool.withReading(readWriteCounters),
  );
}

describe("P36: the write counters of the tables behind the views", () => {
  test.each([
    ["an insertion", "INSERT INTO booking.programs (company_code, code, name) VALUES ('one', 'P2', 'B')"],
    ["an update", "UPDATE booking.programs SET name = 'C'"],
    ["a deletion", "DELETE FROM booking.programs WHERE code = 'P2'"],
    ["an emptied table", "TRUNCATE booking.media"],
    ["a row of a partition", "INSERT INTO public.parts VALUES ('one', 'P1', 1, 'Why?', 'So.')"],
    ["a refreshed materialized view", "REFRESH MATERIALIZED VIEW public.known_cities"],
    [
      "another definition of a view",
      "CREATE OR REPLACE VIEW partner_source.faq AS SELECT tenant_id, program_id, position, question, answer FROM public.parts",
    ],
  ])("move with %s", async (_title, statement) => {
    const before = await counters();
    expect(before).toMatch(/^[0-9a-f]{32}$/);
    await database.query(statement);
    expect(await counters()).not.toBe(before);
  });

  test.each([
    ["nothing", "SELECT"],
    ["a write to a table that no view shows", "INSERT INTO public.unrelated VALUES (1)"],
    ["a write to what a materialized view shows later", "INSERT INTO public.cities VALUES ('Bern')"],
    ["a reading", "SELECT count(*) FROM partner_source.programs"],
    ["a statement that changes no row", "UPDATE booking.programs SET name = 'D' WHERE code = 'none'"],
  ])("do not move with %s", async (_title, statement) => {
    const before = await counters();
    await database.query(statement);
    expect(await counters()).toBe(before);
  });
});
