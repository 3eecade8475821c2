import pg from "pg";
import { contractViews, sqlTypes } from "../../cli/publish/source/contract.ts";

/**
 * The source views as plain tables: whatever rows a test wants, also ones that no booking schema would allow.
 */
export const plainSourceSql = [
  "CREATE SCHEMA partner_source",
  ...contractViews.map(({ name, columns }) => {
    const typed = Object.entries(columns).map(([column, kind]) => `${column} ${sqlTypes[kind]}`);
    return `CREATE TABLE partner_source.${name} (${typed.join(", ")})`;
  }),
].join(";\n");

export type PlainRow = Readonly<Record<string, unknown>>;

/** A database whose `partner_source` holds plain tables, to be filled row by row. */
export type PlainSource = Awaited<ReturnType<typeof openPlainSource>>;

export async function openPlainSource(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(plainSourceSql);
  return {
    url,
    async insert(view: string, ...rows: readonly PlainRow[]) {
      for (const row of rows) {
        const names = Object.keys(row);
        const places = names.map((_, at) => `$${at + 1}`).join(", ");
        const sql = `INSERT INTO partner_source.${view} (${names.join(", ")}) VALUES (${places})`;
        await client.query(sql, Object.values(row));
      }
    },
    async query(sql: string, values: readonly unknown[] = []) {
      await client.query(sql, [...values]);
    },
    /** Sets columns of the programs of that id, or of all. */
    async update(set: string, programId?: string) {
      const which = programId === undefined ? "" : ` WHERE program_id = '${programId}'`;
      await client.query(`UPDATE partner_source.programs SET ${set}${which}`);
    },
    /** Deletes all rows. Truncating the tables would take a hundred times as long. */
    async empty() {
      const tables = contractViews.map(({ name }) => `partner_source.${name}`);
      let rows = 0;
      for (const table of tables) rows += (await client.query(`DELETE FROM ${table}`)).rowCount ?? 0;
      // Many dead rows would slow down the tests that follow.
      if (rows > 1000) await client.query(`VACUUM ${tables.join(", ")}`);
    },
    close: () => client.end(),
  };
}
