import type pg from "pg";
import { Failure } from "../../../core/failure.ts";
import { withTransaction } from "../../database/source-client.ts";
import { createFacts, type SampleOptions } from "./sample-facts.ts";
import { sampleTables } from "./sample-rows.ts";

export interface SeedOptions extends SampleOptions {
  /** Whether to wipe also data that no seed created. */
  readonly replace: boolean;
}

export interface SeedReport {
  readonly seed: string;
  /** The day that the dates are relative to, `YYYY-MM-DD`. */
  readonly date: string;
  readonly tenants: number;
  /** The number of programs in all tenants together. */
  readonly programs: number;
  /** Rows per table of the schema `booking`. */
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Replaces the sample data in one transaction; the same options give the same rows. Listeners are notified, of no company in
 * particular. Throws `source_contract` when the schema is missing or holds data that no seed created.
 */
export async function seedSource(client: pg.Client, options: SeedOptions): Promise<SeedReport> {
  const rows = await withTransaction(client, async () => {
    await refuseForeignData(client, options.replace);
    return await fill(client, options);
  });
  const { seed, today: date, tenants } = options;
  return { seed, date, tenants, programs: rows.programs ?? 0, rows };
}

async function fill(client: pg.Client, options: SeedOptions): Promise<Record<string, number>> {
  const tables = sampleTables.map(({ name }) => `booking.${name}`);
  const switchTriggers = (to: "ENABLE" | "DISABLE"): string =>
    tables.map((table) => `ALTER TABLE ${table} ${to} TRIGGER USER`).join("; ");
  await client.query("SET LOCAL lock_timeout = '60s'; SET LOCAL jit = off");
  // One notification at the end, not one per row.
  await client.query(`${switchTriggers("DISABLE")}; NOTIFY partner_source_changed`);
  // A foreign key is checked in a third of the time when it is made anew over all rows instead of asked for each.
  const { rows: foreignKeys } = await client.query<{ drop: string; add: string }>(`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
           format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
      FROM pg_constraint WHERE contype = 'f' AND connamespace = 'booking'::regnamespace`);
  await client.query(foreignKeys.map(({ drop }) => drop).join("; "));
  await client.query(`TRUNCATE booking.sample_data, ${tables.join(", ")} RESTART IDENTITY`);
  await createFacts(client, options);
  const rows: Record<string, number> = {};
  for (const { name, insert } of sampleTables) rows[name] = (await client.query(insert)).rowCount ?? 0;
  await client.query(`ANALYZE ${tables.join(", ")}`);
  await client.query(foreignKeys.map(({ add }) => add).join("; "));
  await client.query(switchTriggers("ENABLE"));
  await client.query(
    "INSERT INTO booking.sample_data (seed, company_codes) SELECT $1, array_agg(code) FROM booking.companies",
    [options.seed],
  );
  return rows;
}

async function refuseForeignData(client: pg.Client, replace: boolean): Promise<void> {
  const { rows: schema } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('booking.sample_data') IS NOT NULL AS exists",
  );
  if (schema[0]?.exists !== true) {
    throw new Failure(
      "source_contract",
      "The reference booking schema is missing or out of date in this database: run `source init` first.",
    );
  }
  if (replace) return;
  const { rows: foreign } = await client.query<{ code: string; companies: number }>(`
    SELECT min(code) AS code, count(*)::integer AS companies FROM booking.companies
     WHERE NOT EXISTS (SELECT FROM booking.sample_data WHERE companies.code = ANY (company_codes))`);
  const { code, companies = 0 } = foreign[0] ?? {};
  if (companies === 0) return;
  throw new Failure(
    "source_contract",
    `The database holds ${companies} companies that no seed created (${code}, ...); nothing was changed. ` +
      "`source seed --replace` wipes all companies and their programs, bookings and passengers.",
  );
}
