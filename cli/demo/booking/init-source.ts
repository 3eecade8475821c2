import { readFileSync } from "node:fs";
import { join } from "node:path";
import knex, { type Knex } from "knex";
import { Failure } from "../../../core/ground/failure.ts";
import { sourceFailure } from "../../database/source-client.ts";
import { ownTables } from "../../publish/source/read-structure.ts";

/** The SQL of these files of the folder `sql`, one after the other. */
export function sqlOf(...names: readonly string[]): string {
  return names
    .map((name) => readFileSync(join(import.meta.dirname, "sql", `${name}.sql`), "utf8"))
    .join("\n");
}

/** The only migration so far; a released one is never edited. */
const schema = "001_reference_schema";
const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: () => Promise.resolve([schema]),
  getMigrationName: (name) => name,
  // knex requires a `down` step, which no command runs.
  getMigration: () =>
    Promise.resolve({
      up: (knex) => knex.raw(sqlOf("tables", "views", "change-notifications")),
      down: () => Promise.reject(),
    }),
};

/** The changes that an initialisation made. A repeated one makes none. */
export interface InitReport {
  /** Names of the migrations that were applied, in order. */
  readonly applied: readonly string[];
}

/**
 * Creates the reference booking schema and the contract's views on it, in one transaction. Throws
 * `source_contract` when the company has schemas of these names, and `foreign_database` when the database has
 * other tables, unless `isBesideOthers`.
 */
export async function initSource(
  databaseUrl: string,
  { isBesideOthers = false }: { readonly isBesideOthers?: boolean } = {},
): Promise<InitReport> {
  const db = knex({
    client: "pg",
    connection: { connectionString: databaseUrl, application_name: "partner-programs" },
    pool: { min: 0, max: 1 },
    acquireConnectionTimeout: 10_000,
    // Failures are reported where they are caught; knex would print them as well.
    log: { warn: () => {}, error: () => {}, deprecate: () => {}, debug: () => {} },
  });
  try {
    return await db.transaction((transaction) => migrate(transaction, isBesideOthers));
  } catch (error) {
    throw sourceFailure(error);
  } finally {
    await db.destroy();
  }
}

/** The number of the advisory lock; nothing else in the program uses it. */
const initLock = 7_205_759_403;

async function migrate(transaction: Knex.Transaction, isBesideOthers: boolean): Promise<InitReport> {
  // knex locks by a mark in a table, which a crash leaves behind. This lock ends with the transaction.
  await transaction.raw(`SET LOCAL lock_timeout = '120s'; SELECT pg_advisory_xact_lock(${initLock})`);
  await refuseForeignSchemas(transaction);
  if (!isBesideOthers) await refuseForeignDatabase(transaction);
  await transaction.raw("CREATE SCHEMA IF NOT EXISTS booking; CREATE SCHEMA IF NOT EXISTS partner_source");
  const result: unknown = await transaction.migrate
    .latest({ migrationSource, schemaName: "booking", tableName: "schema_migrations" })
    .catch(refuseEarlierSchema);
  const [, applied] = Array.isArray(result) ? result : [];
  return { applied: Array.isArray(applied) ? applied.map(String) : [] };
}

/** Version 0.2 made this schema in steps that knex does not know. Throws `source_contract` for it. */
function refuseEarlierSchema(cause: Error): never {
  if (!cause.message.includes("following files are missing")) throw cause;
  throw new Failure(
    "source_contract",
    "An earlier version of this program made the reference schema; nothing was changed. Its data is sample data: " +
      "`DROP SCHEMA booking, partner_source CASCADE`, then run `source init` and `source seed` again.",
    { cause },
  );
}

/** Refuses schemas of these names that our migrations did not create, since they are the company's own. */
async function refuseForeignSchemas(transaction: Knex.Transaction): Promise<void> {
  const { rows }: { rows: { name: string }[] } = await transaction.raw(`
    SELECT relnamespace::regnamespace || '.' || relname AS name
      FROM pg_class
     WHERE relnamespace IN (to_regnamespace('booking'), to_regnamespace('partner_source'))
       AND relkind IN ('r', 'p', 'v', 'm', 'f')
       AND to_regclass('booking.schema_migrations') IS NULL
     ORDER BY 1 LIMIT 1`);
  const [first] = rows;
  if (first === undefined) return;
  throw new Failure(
    "source_contract",
    `The database has a ${first.name} already that this program did not create; nothing was changed. ` +
      "With a booking schema of your own, write the views of the source contract on it (`source init " +
      "--skeleton`, `source init --views-only`); for the reference schema use an empty database.",
  );
}

/** Refuses a database with tables of its own: it needs views on them, not a second booking schema (P102). */
async function refuseForeignDatabase(transaction: Knex.Transaction): Promise<void> {
  const { rows }: { rows: { name: string; count: string }[] } = await transaction.raw(`
    SELECT min(schema || '.' || name) AS name, count(*) AS count
      FROM ${ownTables}
     WHERE schema NOT IN ('booking', 'partner_source') AND to_regclass('booking.schema_migrations') IS NULL`);
  const [others] = rows;
  if (others === undefined || Number(others.count) === 0) return;
  const tables = others.count === "1" ? "a table" : `${others.count} tables`;
  throw new Failure("foreign_database", [
    `The database has ${tables} of its own (${others.name}); nothing was changed. \`source init\` is for an empty database: it creates a reference booking schema.`,
    "On tables of your own write views: `source init --skeleton` prints them, to be filled in.",
    "To have the reference schema beside your tables nevertheless: `source init --reference`.",
  ]);
}
