import { beforeAll, describe, expect, test } from "vitest";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { runCommand } from "../../support/command-line.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import {
  canaryMark,
  privateAmountColumns,
  privateCents,
  privateTextColumns,
} from "../../support/private-columns.ts";
import { publishedSnapshot } from "../../support/published-snapshot.ts";
import { allStoredText } from "../../support/store-tree.ts";
import { parsedReport } from "../../support/workbench.ts";

const database = forAllTests(createTestDatabase);
const directory = folderForAllTests();
let output: string;
let tenants: readonly string[];

/** The reference booking schema, filled by `source seed` and built by a role that may read the views only. */
beforeAll(async () => {
  const env = { STORE_URL: `file:${directory}` };
  const args = ["source", "seed", "--tenants", "3", "--programs", "40"];
  const seeded = await runCommand(args, { env: { ...env, DATABASE_URL: database.url } });
  if (seeded.status !== 0) throw new Error(seeded.stderr);
  const reader = await database.createReader();
  const built = await runCommand(["snapshot", "build", "--json"], { env: { ...env, DATABASE_URL: reader } });
  if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`);
  tenants = parsedReport(built.stdout).tenants.map(({ tenantId }) => tenantId);
  const told = await runCommand(["snapshot", "build", "--dry-run"], {
    env: { ...env, DATABASE_URL: reader },
  });
  output = built.stdout + built.stderr + told.stdout + told.stderr;
});

/**
 * The columns of a type that no view reads, by table. Keys and the three that the query names are not
 * private.
 */
async function unreadColumns(type: string): Promise<Record<string, string[]>> {
  const rows = await database.query<{ table: string; columns: string[] }>(
    `SELECT booked.relname AS table, array_agg(attname::text ORDER BY attnum) AS columns
       FROM pg_attribute JOIN pg_class AS booked ON booked.oid = attrelid
      WHERE relnamespace = 'booking'::regnamespace AND relkind = 'r' AND atttypid = $1::regtype AND attnum > 0
        AND relname !~ '^(schema_migrations|sample_data)'
        AND relname || '.' || attname NOT IN ('companies.time_zone', 'room_types.label', 'programs.target_margin')
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = attrelid AND attnum = ANY (conkey) AND contype <> 'c')
        AND NOT EXISTS (SELECT FROM pg_depend JOIN pg_rewrite ON pg_rewrite.oid = objid
                         WHERE classid = 'pg_rewrite'::regclass AND refobjid = attrelid AND refobjsubid = attnum)
      GROUP BY relname`,
    [type],
  );
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]));
}

describe("D4 private data of the booking database", () => {
  test("is all that no view reads", async () => {
    expect(await unreadColumns("text")).toEqual(privateTextColumns);
    expect(await unreadColumns("numeric")).toEqual(privateAmountColumns);
  });

  test("is there to be leaked: every private column of the sample data holds a canary", async () => {
    for (const [table, columns] of Object.entries(privateTextColumns)) {
      for (const column of columns) {
        const found = await database.query(
          `SELECT 1 FROM booking.${table} WHERE ${column}::text LIKE '%${canaryMark}%' LIMIT 1`,
        );
        expect(found, `${table}.${column}`).toHaveLength(1);
      }
    }
  });

  test("is in no object of the store, no report and no output", async () => {
    const stored = await allStoredText(directory);
    expect(stored).toContain("/v1/programs.json");
    expect(stored).not.toContain(canaryMark);
    expect(output).not.toContain(canaryMark);
  });

  test("neither are private amounts, which no public amount resembles", async () => {
    for (const [table, columns] of Object.entries(privateAmountColumns)) {
      for (const column of columns) {
        const [cents] = await database.query<{ all: boolean }>(
          `SELECT bool_and(${column}::text LIKE '%${privateCents}') AS all FROM booking.${table}`,
        );
        expect(cents?.all, `${table}.${column}`).toBe(true);
      }
    }
    for (const tenantId of tenants) {
      const { bytes } = await publishedSnapshot(createFileStore({ directory }), tenantId);
      for (const text of bytes.values()) expect(text).not.toMatch(new RegExp(`\\d\\${privateCents}\\b`));
    }
  });

  test("names of passengers are nowhere, and enrollments are but a number", async () => {
    const rows = await database.query<{ name: string }>(
      "SELECT full_name AS name FROM booking.passengers LIMIT 50",
    );
    const stored = await allStoredText(directory);
    expect(rows.length).toBeGreaterThan(10);
    for (const { name } of rows) expect(stored).not.toContain(name);
  });
});
