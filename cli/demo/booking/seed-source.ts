import type pg from "pg";
import { Failure } from "../../../core/failure.ts";
import { withTransaction } from "../../database/source-client.ts";
import { withDeferredConstraints } from "./bulk-load.ts";
import { type CopyBatch, copyBatch, copyRows } from "./copy-rows.ts";
import { airlinesTable, companyTables, sampleAirlines } from "./sample/company-tables.ts";
import { programTables } from "./sample/program-tables.ts";
import { type SampleCompany, sampleCompanies } from "./sample/sample-company.ts";
import { type SampleOrigin, sampleProgram } from "./sample/sample-program.ts";

export interface SeedOptions extends SampleOrigin {
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
 * Replaces the sample data of the reference schema in one transaction. The same options give the same rows. Memory holds a
 * thousand programs at most. Throws `source_contract` when the schema is missing or holds data that no seed created.
 */
export async function seedSource(client: pg.Client, options: SeedOptions): Promise<SeedReport> {
  const companies = sampleCompanies(options.tenants, options.programs);
  const rows = await withTransaction(client, async () => {
    await refuseForeignData(client, options.replace);
    const counted = await withDeferredConstraints(client, () => fill(client, options, companies));
    await client.query("INSERT INTO booking.sample_data (seed, company_codes) VALUES ($1, $2)", [
      options.seed,
      companies.map(({ code }) => code),
    ]);
    return counted;
  });
  const { seed, today: date, tenants } = options;
  return { seed, date, tenants, programs: rows.programs ?? 0, rows };
}

async function fill(
  client: pg.Client,
  options: SeedOptions,
  companies: readonly SampleCompany[],
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  let sent = Promise.resolve();
  for (const batch of batches(options, companies)) {
    // The server takes in one batch while the next one is being made.
    await sent;
    sent = copyRows(client, batch);
    sent.catch(() => {});
    rows[batch.table] = (rows[batch.table] ?? 0) + batch.rows;
  }
  await sent;
  return rows;
}

const programsPerBatch = 1000;

function* batches(origin: SampleOrigin, companies: readonly SampleCompany[]): Generator<CopyBatch> {
  yield copyBatch(airlinesTable, [sampleAirlines]);
  for (const company of companies) {
    for (const table of companyTables) yield copyBatch(table, [company]);
    for (let first = 0; first < company.programCount; first += programsPerBatch) {
      const length = Math.min(programsPerBatch, company.programCount - first);
      const programs = Array.from({ length }, (_, at) => sampleProgram(origin, company, first + at));
      for (const table of programTables) yield copyBatch(table, programs);
    }
  }
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
