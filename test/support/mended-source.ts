import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, inject } from "vitest";
import type { SourceReport } from "../../cli/operate/source-check/check-source.ts";
import { contractViews } from "../../cli/publish/source/contract.ts";
import { emptyView } from "../../cli/publish/source/empty-views.ts";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { type CommandResult, runCommand } from "./command-line.ts";
import { databaseUrl, onServer } from "./postgres.ts";
import { publishedSnapshot } from "./published-snapshot.ts";

/** Views over tables of the same names in the schema `travel`, published once, into which a fault can be planted. */
export interface MendedSource {
  readonly url: string;
  readonly storeDirectory: string;
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** A role of the database's own, dropped with it. */
  createRole(name: string, options: string): Promise<string>;
  run(args: readonly string[], url?: string): Promise<CommandResult>;
  check(url?: string): Promise<SourceReport>;
  /** Builds, and gives every body that partners get. */
  published(url?: string): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

const rows = `
  INSERT INTO travel.tenants VALUES ('acme', 'Acme');
  INSERT INTO travel.programs (tenant_id, program_id, name, lifecycle_state, departure_date, return_date, capacity_total, currency,
                               description, included, visits)
    SELECT 'acme', 'T' || n, 'Tour "' || n || '"', 'active', date '2027-05-01' + n, date '2027-05-08' + n, 10 + n, 'EUR',
           'Text ' || n, ARRAY['Guide', 'Bus ' || n], ARRAY['Rome']
      FROM generate_series(1, 3) AS n;
  INSERT INTO travel.room_prices SELECT 'acme', 'T' || n, 2, 790.5 + n FROM generate_series(1, 3) AS n;
  INSERT INTO travel.enrollments SELECT 'acme', 'T' || n, 'confirmed', 'passenger' FROM generate_series(1, 3) AS n;
  INSERT INTO travel.hotel_stays VALUES ('acme', 'T1', 1, 'Inn', 'Rome', '2027-05-02', '2027-05-04', 4);
  INSERT INTO travel.staff VALUES ('acme', 'T1', 1, 'lead_guide', 'Ann', 'female', NULL);
  INSERT INTO travel.flights VALUES ('acme', 'T1', 1, 'XX', 'https://a.example/x.svg');
  INSERT INTO travel.itinerary VALUES ('acme', 'T1', 1, 'Arrival', NULL);
  INSERT INTO travel.faq VALUES ('acme', 'T1', 1, 'Visa?', 'No.')`;

/** `options`: of CREATE DATABASE. */
export async function openMendedSource(options = "TEMPLATE template0"): Promise<MendedSource> {
  const serverUrl = inject("postgresUrl");
  const name = `fixes_${randomBytes(6).toString("hex")}`;
  await onServer(serverUrl, `CREATE DATABASE ${name} ${options}`);
  const url = databaseUrl(serverUrl, name);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const storeDirectory = await mkdtemp(join(tmpdir(), "mended-"));
  const store = createFileStore({ directory: storeDirectory });
  const roles: string[] = [];
  await owner.query("CREATE SCHEMA travel; CREATE SCHEMA partner_source");
  for (const view of contractViews) {
    const asTable = emptyView(view).replace("CREATE VIEW partner_source.", "CREATE TABLE travel.");
    await owner.query(asTable);
    await owner.query(`CREATE VIEW partner_source.${view.name} AS SELECT * FROM travel.${view.name}`);
  }
  await owner.query(rows);
  const run = (args: readonly string[], asUrl = url): Promise<CommandResult> =>
    runCommand(args, { env: { DATABASE_URL: asUrl, STORE_URL: `file:${storeDirectory}` } });
  return {
    url,
    storeDirectory,
    run,
    query: async (sql) => (await owner.query(sql)).rows,
    async createRole(role, roleOptions) {
      await owner.query(`CREATE ROLE ${name}_${role} ${roleOptions}`);
      roles.push(`${name}_${role}`);
      return `${name}_${role}`;
    },
    check: async (asUrl) => JSON.parse((await run(["source", "check", "--json"], asUrl)).stdout),
    async published(asUrl) {
      const { status, stderr } = await run(["snapshot", "build"], asUrl);
      expect(status, stderr).toBe(0);
      return (await publishedSnapshot(store, "acme")).bytes;
    },
    async close() {
      for (const role of roles) await owner.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
      await owner.end();
      await store.close();
      await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      await rm(storeDirectory, { recursive: true, force: true });
    },
  };
}
