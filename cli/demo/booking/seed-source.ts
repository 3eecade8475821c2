import type pg from "pg";
import { Failure } from "../../../core/ground/failure.ts";
import { withTransaction } from "../../database/source-client.ts";
import { sqlOf } from "./init-source.ts";

/** The same seed, date and size give the same rows. */
export interface SeedOptions {
  readonly seed: string;
  /** The day that dates are relative to, `YYYY-MM-DD`. */
  readonly today: string;
  readonly tenants: number;
  /** Per tenant. */
  readonly programs: number;
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
 * Replaces the sample data in one transaction; the same options give the same rows. Listeners are notified,
 * of no company in particular. Throws `source_contract` when the schema is missing or holds data that no seed
 * created.
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
  const { tenants, programs, seed, today } = options;
  await client.query(
    sqlOf("sample-words", "sample-facts", "sample-companies", "sample-programs", "sample-texts", "seed"),
  );
  const { rows } = await client.query<{ name: string; count: number }>(
    "SELECT table_name AS name, row_count::integer AS count FROM pg_temp.seed($1, $2, $3, $4)",
    [tenants, programs, seed, today],
  );
  // A pooler may give the session to somebody else, who would find what is temporary in it.
  await client.query("DISCARD TEMP");
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
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
