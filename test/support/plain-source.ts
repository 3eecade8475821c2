import pg from "pg";
import { sourceViews } from "../../cli/publish/source/contract.ts";

/** The source views as plain tables: whatever rows a test wants, also ones that no booking schema would allow. */
export const plainSourceSql = `
  CREATE SCHEMA partner_source;
  CREATE TABLE partner_source.tenants (tenant_id text, name text);
  CREATE TABLE partner_source.programs (
    tenant_id text, program_id text, name text, lifecycle_state text, departure_date date, return_date date,
    capacity_total int, currency text, category_type text, category_subtype text, guide_name text,
    legacy_price numeric, description text, departure_point text, marketing_tags text[],
    accommodation_description text, cover_url text, gallery_urls text[], included text[], excluded text[],
    visits text[]);
  CREATE TABLE partner_source.room_prices (tenant_id text, program_id text, occupancy int, amount numeric);
  CREATE TABLE partner_source.child_prices (
    tenant_id text, program_id text, min_age int, max_age int, amount numeric);
  CREATE TABLE partner_source.hotel_stays (
    tenant_id text, program_id text, position int, name text, location text, check_in date, check_out date,
    star_level int);
  CREATE TABLE partner_source.enrollments (tenant_id text, program_id text, status text, role text);
  CREATE TABLE partner_source.staff (
    tenant_id text, program_id text, position int, role text, name text, gender text, role_label text);
  CREATE TABLE partner_source.flights (
    tenant_id text, program_id text, position int, airline_code text, airline_logo_url text);
  CREATE TABLE partner_source.itinerary (
    tenant_id text, program_id text, position int, title text, description text);
  CREATE TABLE partner_source.faq (tenant_id text, program_id text, position int, question text, answer text);
`;

export type PlainRow = Readonly<Record<string, unknown>>;

/** A database whose \`partner_source\` holds plain tables, to be filled row by row. */
export interface PlainSource {
  readonly url: string;
  insert(view: string, ...rows: readonly PlainRow[]): Promise<void>;
  query(sql: string, values?: readonly unknown[]): Promise<void>;
  /** Deletes all rows. Truncating the tables would take a hundred times as long. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export async function openPlainSource(url: string): Promise<PlainSource> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(plainSourceSql);
  return {
    url,
    async insert(view, ...rows) {
      for (const row of rows) {
        const names = Object.keys(row);
        const places = names.map((_, at) => `$${at + 1}`).join(", ");
        const sql = `INSERT INTO partner_source.${view} (${names.join(", ")}) VALUES (${places})`;
        await client.query(sql, Object.values(row));
      }
    },
    async query(sql, values = []) {
      await client.query(sql, [...values]);
    },
    async empty() {
      const tables = Object.keys(sourceViews).map((view) => `partner_source.${view}`);
      let rows = 0;
      for (const table of tables) rows += (await client.query(`DELETE FROM ${table}`)).rowCount ?? 0;
      // Many dead rows would slow down the tests that follow.
      if (rows > 1000) await client.query(`VACUUM ${tables.join(", ")}`);
    },
    close: () => client.end(),
  };
}
