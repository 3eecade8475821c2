import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { eventually } from "./gateway-client.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of a superuser of the run's PostgreSQL server. */
    readonly postgresUrl: string;
    /** Name of a database there that holds the reference schema, empty. */
    readonly templateDatabase: string;
  }
}

/** A database of one test file. */
export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** A fresh database: with the reference schema and the views (`source init`), or with nothing in it. */
export async function createTestDatabase(options: { readonly isEmpty?: boolean } = {}) {
  const serverUrl = inject("postgresUrl");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const template = options.isEmpty === true ? "template0" : inject("templateDatabase");
  await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);

  const url = databaseUrl(serverUrl, name);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const reader = `${name}_reader`;
  let hasReader = false;
  return {
    url,
    /** Runs SQL as the owner on a connection that stays open until `close`. */
    query: async <Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
      (await owner.query<Row>(sql, [...values])).rows,
    /** A role with the privileges that the generator needs and no others; its connection string. */
    createReader: async () => {
      hasReader = true;
      await owner.query(`CREATE ROLE ${reader} LOGIN PASSWORD 'reader'`);
      await owner.query(`GRANT USAGE ON SCHEMA partner_source TO ${reader}`);
      await owner.query(`GRANT SELECT ON ALL TABLES IN SCHEMA partner_source TO ${reader}`);
      const readerUrl = new URL(url);
      readerUrl.username = reader;
      readerUrl.password = "reader";
      return readerUrl.href;
    },
    close: async () => {
      await owner.end();
      await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      if (hasReader) await onServer(serverUrl, `DROP ROLE ${reader}`);
    },
  };
}

/**
 * Resolves when the database has no session whose application has a name like that, nor their locks: the
 * server hears of a client that was killed, or of a connection that was torn, a little later.
 */
export async function sessionsEnded(database: TestDatabase, name: string): Promise<void> {
  await eventually(
    () =>
      database.query(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1",
        [name],
      ),
    ({ length }) => length === 0,
  );
}

/** The same server and role, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs a statement that can't be part of a transaction. */
export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
