import type pg from "pg";
import { isDirect } from "../../database/connect.ts";
import { statementName } from "../../database/for-each-row.ts";
import { type DatabaseUrl, endClient, listeningClient } from "../../database/source-client.ts";

/** A session that listens for what other builders have built. */
export interface ClaimsConnection {
  isUsable(): boolean;
  /** Queries wait for each other: tenants are claimed side by side, and a connection runs one query at a time. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<readonly Row[]>;
  /** The server's clock, in milliseconds. */
  serverTime(): Promise<number>;
  close(): Promise<void>;
}

export const builtChannel = "partner_programs_built";
export const clock = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint::text";

/**
 * Connects and listens. `undefined` when the server is away, a read replica, or behind a pooler. `onBuilt` gets what other
 * sessions announce, and the latest server time at which they can have done so.
 */
export async function connectClaims(
  databaseUrl: DatabaseUrl,
  onBuilt: (payload: string, latestMs: number) => void,
): Promise<ClaimsConnection | undefined> {
  const client = listeningClient(databaseUrl, "claims");
  let isUsable = true;
  client.on("error", () => {
    isUsable = false;
  });
  client.on("end", () => {
    isUsable = false;
  });
  let lastQuery: Promise<unknown> = Promise.resolve();
  function query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<readonly Row[]> {
    // What has values is asked for each tenant, of a session that no pooler shares out.
    const config = values === undefined ? { text: sql } : { name: statementName(sql), text: sql, values };
    const result = lastQuery.then(async () => (await client.query<Row>(config)).rows);
    lastQuery = result.catch(() => {});
    return result;
  }
  /** How far the server's clock is ahead of this process' monotonic clock. */
  let serverAheadMs = 0;
  let ownProcessId = 0;
  async function serverTime(): Promise<number> {
    const [row] = await query<{ ms: string; pid: number }>(`SELECT ${clock} AS ms, pg_backend_pid() AS pid`);
    if (row === undefined) throw new Error("no answer");
    ownProcessId = row.pid;
    serverAheadMs = Number(row.ms) - performance.now();
    return Number(row.ms);
  }
  client.on("notification", ({ payload = "", processId }) => {
    if (processId !== ownProcessId) onBuilt(payload, serverAheadMs + performance.now());
  });
  try {
    await client.connect();
    await serverTime();
    // P190: in transaction mode, a pooler would leave the locks with a session that no builder owns.
    if (!isDirect(client, ownProcessId)) throw new Error("a pooler stands between");
    await client.query(`LISTEN ${builtChannel}`);
  } catch {
    await endClient(client);
    return undefined;
  }
  return { isUsable: () => isUsable, query, serverTime, close: () => endClient(client) };
}
