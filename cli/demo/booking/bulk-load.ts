import type pg from "pg";

/**
 * Empties the reference schema and runs `load` without foreign keys, secondary indexes and triggers. They are put back and
 * checked afterwards, which is several times faster than checking row by row. All this runs in the caller's transaction, so
 * that other sessions see all of it or nothing. At the end, statistics are renewed, and listeners are notified of every company
 * that was or is there.
 */
export async function withDeferredConstraints<Result>(
  client: pg.Client,
  load: () => Promise<Result>,
): Promise<Result> {
  const before = await companyCodes(client);
  const tables = await column(client, tablesQuery);
  const foreignKeys = await client.query<Definition>(foreignKeysQuery);
  const indexes = await client.query<Definition>(secondaryIndexesQuery);
  const all = tables.join(", ");

  await client.query("SET LOCAL lock_timeout = '60s'");
  for (const table of tables) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await client.query(`TRUNCATE ${all} RESTART IDENTITY`);
  for (const { table, name } of foreignKeys.rows) {
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  }
  for (const { name } of indexes.rows) await client.query(`DROP INDEX ${name}`);
  const result = await load();
  for (const { definition } of indexes.rows) await client.query(definition);
  await client.query(`ANALYZE ${all}`);
  for (const { table, name, definition } of foreignKeys.rows) {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
  }
  for (const table of tables) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);

  const changed = [...new Set([...before, ...(await companyCodes(client))])];
  await client.query("SELECT pg_notify('partner_source_changed', code) FROM unnest($1::text[]) AS code", [
    changed,
  ]);
  return result;
}

interface Definition {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const tablesQuery = `
  SELECT oid::regclass::text AS value FROM pg_class
   WHERE relnamespace = 'booking'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'schema_migrations%'
   ORDER BY 1`;

const foreignKeysQuery = `
  SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint
   WHERE connamespace = 'booking'::regnamespace AND contype = 'f'
   ORDER BY 1, 2`;

/** Indexes that do not belong to a constraint. */
const secondaryIndexesQuery = `
  SELECT indrelid::regclass::text AS table, indexrelid::regclass::text AS name,
         pg_get_indexdef(indexrelid) AS definition
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
   WHERE relnamespace = 'booking'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
   ORDER BY 1, 2`;

async function companyCodes(client: pg.Client): Promise<readonly string[]> {
  return column(client, "SELECT code AS value FROM booking.companies ORDER BY 1");
}

async function column(client: pg.Client, query: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ value: string }>(query);
  return rows.map(({ value }) => value);
}
