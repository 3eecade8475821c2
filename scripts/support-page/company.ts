import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { contractViews } from "../../cli/publish/source/contract.ts";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { createLogger } from "../../core/logger.ts";
import { parseSettings } from "../../core/setting-parser.ts";
import { gatewaySettings } from "../../core/settings.ts";
import { createGateway, type Gateway } from "../../gateway/gateway.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

export const tenant = "alpine-walks";

/** A small company: its booking data, its store, its gateway, and the terminal of whoever does its support. */
export interface Company {
  readonly terminal: Terminal;
  /** The store's folder. */
  readonly storeDirectory: string;
  /** The gateway's log, which `request` writes. */
  readonly logFile: string;
  query(sql: string): Promise<void>;
  /** Runs a command that must succeed. */
  command(...args: readonly string[]): Promise<string>;
  /** A new token's plaintext. */
  token(name: string, ...options: readonly string[]): Promise<string>;
  /** Asks the gateway as a partner would; gives the status. */
  request(requestId: string, path: string, token?: string): Promise<number>;
  close(): Promise<void>;
}

/** A fresh company in the given database and folder; whatever an earlier one left there is gone. */
export async function openCompany(databaseUrl: string, directory: string): Promise<Company> {
  const storeDirectory = join(directory, "store");
  const logFile = join(directory, "gateway.log");
  await rm(directory, { recursive: true, force: true });
  await mkdir(storeDirectory, { recursive: true });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS partner_source CASCADE; ${sourceTables} ${sourceRows}`);
  const store = `file:${storeDirectory}`;
  const terminal = createTerminal({ DATABASE_URL: databaseUrl, STORE_URL: store, LOG_LEVEL: "silent" });
  let gateway: { readonly api: string; readonly running: Gateway; readonly lines: string[] } | undefined;

  async function command(...args: readonly string[]): Promise<string> {
    const { status, stdout, shown } = await terminal.run(args);
    if (status !== 0) throw new Error(`partner-programs ${args.join(" ")} ended with ${status}: ${shown}`);
    return stdout;
  }

  return {
    terminal,
    storeDirectory,
    logFile,
    query: async (sql) => {
      await client.query(sql);
    },
    command,
    token: async (name, ...options) =>
      (await command("token", "create", "--tenant", tenant, "--name", name, ...options)).trim(),

    async request(requestId, path, token) {
      gateway ??= await startGateway(storeDirectory);
      const credentials = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const { status, body } = await fetch(gateway.api + path, {
        headers: { "x-request-id": requestId, ...credentials },
      });
      await body?.cancel();
      await writeFile(logFile, gateway.lines.map((line) => steadyLine(line, terminal.now())).join(""));
      return status;
    },

    async close() {
      await gateway?.running.stop();
      await client.end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startGateway(
  directory: string,
): Promise<{ readonly api: string; readonly running: Gateway; readonly lines: string[] }> {
  const parsed = parseSettings(gatewaySettings, { PORT: "0", ADMIN_PORT: "off", SNAPSHOT_REFRESH_MS: "0" });
  if (!parsed.ok) throw new Error(parsed.faults.join("; "));
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const program = "partner-programs-gateway";
  const store = createFileStore({ directory });
  const running = createGateway({
    settings: parsed.values,
    store,
    tokenStore: store,
    program,
    logger: createLogger({ level: "info", program, destination }),
    destination,
  });
  return { api: (await running.start()).api, running, lines };
}

/** Replaces times and durations, which differ from run to run. */
function steadyLine(line: string, now: Date): string {
  const record: Record<string, unknown> = JSON.parse(line);
  const timed = "durationMs" in record ? { durationMs: 0.8 } : {};
  return `${JSON.stringify({ ...record, time: now.toISOString(), ...timed })}\n`;
}

/** The contract's views as tables: any row that a scenario wants. The kinds of the columns are types of PostgreSQL. */
const sourceTables = [
  "CREATE SCHEMA partner_source;",
  ...contractViews.map(({ name, columns }) => {
    const list = Object.entries(columns).map(([column, kind]) => `${column} ${kind}`);
    return `CREATE TABLE partner_source.${name} (${list.join(", ")});`;
  }),
].join(" ");

const sourceRows = `
  SET search_path TO partner_source;
  INSERT INTO tenants VALUES ('${tenant}', 'Alpine Walks');
  INSERT INTO programs (tenant_id, program_id, name, lifecycle_state, departure_date, return_date, capacity_total, currency,
                        cover_url)
  VALUES ('${tenant}', 'EIGER-27', 'Eiger Trail', 'active', '2027-06-05', '2027-06-11', 14, 'CHF',
          'https://images.example.com/eiger.jpg'),
         ('${tenant}', 'ENGADIN-27', 'Engadin Lakes', 'active', '2027-07-03', '2027-07-10', 18, 'CHF', NULL),
         ('${tenant}', 'MATTERHORN-27', 'Matterhorn Week', 'active', '2027-08-14', '2027-08-21', 12, 'CHF', NULL),
         ('${tenant}', 'TICINO-27', 'Ticino in Autumn', 'draft', '2027-10-02', '2027-10-07', 16, 'CHF', NULL);
  INSERT INTO room_prices VALUES ('${tenant}', 'EIGER-27', 1, 2190), ('${tenant}', 'EIGER-27', 2, 1790),
                                 ('${tenant}', 'ENGADIN-27', 2, 1450), ('${tenant}', 'MATTERHORN-27', 2, 2380);`;
