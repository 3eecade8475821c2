import { hash } from "node:crypto";
import pg, { type QueryArrayConfig, type QueryConfig, type QueryResult } from "pg";
import { Failure } from "../../core/ground/failure.ts";
import {
  connectTimeoutMs,
  cutConnection,
  type DatabaseUrl,
  maxFarewellMs,
  presentUrl,
  readingFailure,
  sourceFailure,
  withReason,
} from "./source-client.ts";

export type SourceClient = pg.ClientBase;

/** Connections to the booking database, for reading only. */
export interface SourcePool {
  /** Runs in one `REPEATABLE READ READ ONLY` transaction (P5). Throws `source_contract` when a view fails. */
  withReading<Result>(
    read: (client: SourceClient) => Promise<Result>,
    limits?: WaitingLimits,
  ): Promise<Result>;
  /** Ends the connections that wait for a reading; the next ones are new. */
  endIdle(): void;
}

/** One statement fetches a few hundred programs; the first one also sorts the tenant's rows. */
const statementTimeoutMs = 600_000;

/** A pooled connection may be dead behind a proxy. The first answer needs no lock, so it is due soon. */
const beginTimeoutMs = 30_000;

/** A pool of at most `connections`, ended with the run. Throws `source_unavailable` if no server answers. */
export async function withSourcePool<Result>(
  options: { readonly databaseUrl: DatabaseUrl; readonly connections: number; readonly signal: AbortSignal },
  run: (pool: SourcePool) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl } = options;
  const pool = new pg.Pool({
    Client: class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, connectionString: presentUrl(databaseUrl) });
      }
    },
    application_name: "partner-programs",
    max: options.connections,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // One that is gone without a word is found out within half a minute, not when the next build asks it.
    keepAliveInitialDelayMillis: 10_000,
    // A watch finds one open whenever it is told of a change.
    min: 1,
  });
  // An idle connection that breaks is replaced at the next use. Without a listener it would end the process.
  pool.on("error", () => {});
  // The pool takes its own listener away when it hands a connection out, while it reads what has arrived: the
  // server's farewell may come in the same packet, before whoever waits for the connection listens.
  const connections = new Set<pg.PoolClient>();
  pool.on("connect", (client) => {
    client.on("error", () => {});
    connections.add(client);
  });
  pool.on("remove", (client) => connections.delete(client));
  const busy = new Set<pg.PoolClient>();
  pool.on("acquire", (client) => busy.add(client));
  pool.on("release", (_error, client) => busy.delete(client));
  try {
    return await run({
      withReading: (read, limits) => withReading(pool, options.signal, read, limits),
      endIdle() {
        for (const client of connections) {
          if (!busy.has(client)) cutConnection(client, new Error("Connection terminated"));
        }
      },
    });
  } finally {
    const cut = setTimeout(() => {
      for (const client of connections) cutConnection(client);
    }, maxFarewellMs);
    await pool.end();
    clearTimeout(cut);
  }
}

async function withReading<Result>(
  pool: pg.Pool,
  signal: AbortSignal,
  read: (client: SourceClient) => Promise<Result>,
  limits: WaitingLimits = {},
): Promise<Result> {
  const connection = await pool.connect().catch((error: unknown) => {
    throw sourceFailure(error);
  });
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken ??= error;
  };
  // A query may wait for a lock, or sort for minutes; nobody who pressed Ctrl-C wants to wait with it.
  const abort = (): void => cutConnection(connection);
  connection.on("error", onError);
  signal.addEventListener("abort", abort);
  try {
    if (signal.aborted) throw new Failure("interrupted", "Interrupted.");
    const client = withQueryDeadline(connection);
    await begin(client, connection, limits);
    const result = await read(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    const reason = withReason(error, broken);
    // A connection with an open transaction must not go back to the pool.
    broken ??= error instanceof Error ? error : new Error(String(error));
    throw readingFailure(reason);
  } finally {
    signal.removeEventListener("abort", abort);
    connection.off("error", onError);
    connection.release(broken);
  }
}

/**
 * P196: where the role's are lower, a transaction may wait for a quarter of an hour: for a slow store between
 * two statements, and as a whole. There is always a limit: a frozen builder must not keep the snapshot for
 * ever. PostgreSQL 17 heeds a new `transaction_timeout` only after an old one is switched off; older ones
 * have none.
 */
const idleLimits = `SELECT set_config(name, '0', true), set_config(name, '15min', true)
  FROM unnest('{idle_in_transaction_session_timeout,transaction_timeout}'::text[]) AS name
  WHERE nullif(current_setting(name, true), '0')::interval < '15min'`;

type ReadingClient = SourceClient & {
  /** Whether the server remembers a named statement until the connection ends. False until `begin` knows. */
  keepsStatements: boolean;
};

/** Begins the transaction in one round trip, and finds out whether the server itself answers. */
async function begin(client: ReadingClient, connection: pg.PoolClient, limits: WaitingLimits): Promise<void> {
  const settings = [
    // Dates have one form as text, whatever the session's.
    "SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL timezone = 'UTC'",
    // Plans are for reading a cursor to its end.
    "SET LOCAL cursor_tuple_fraction = 1; SET LOCAL jit = off",
    // The sums of 50,000 programs have room in memory. With less, they are put on disk and read again. For a
    // tenant of a few thousand, parallel workers would cost more than they save.
    "SET LOCAL work_mem = '32MB'; SET LOCAL parallel_setup_cost = 10000",
    idleLimits,
    ...waitingLimits(limits),
  ];
  const text = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${settings.join("; ")}; SELECT pg_backend_pid() AS pid`;
  const silent = cutAfter(beginTimeoutMs, connection);
  const answers: unknown = await client.query(text).finally(() => clearTimeout(silent));
  const pid = (answers as readonly QueryResult<{ pid: number }>[]).at(-1)?.rows[0]?.pid;
  // P190: a pooler such as PgBouncer gives its own process ids, and may run each transaction in another
  // session.
  client.keepsStatements = "processID" in connection && connection.processID === pid;
}

function cutAfter(timeoutMs: number, connection: pg.PoolClient): NodeJS.Timeout {
  return setTimeout(() => cutConnection(connection, new Error("Query read timeout")), timeoutMs);
}

/**
 * The client with a deadline for each answer. `pg`'s own timeout and its promise are not used: with either,
 * each answer stays reachable until the next full garbage collection, so that all rows move to the old
 * generation.
 */
function withQueryDeadline(connection: pg.PoolClient): ReadingClient {
  const query = (query: string | QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    const config = typeof query === "string" ? { text: query } : query;
    // P190
    const named = client.keepsStatements ? config : { ...config, name: undefined };
    const deadline = cutAfter(statementTimeoutMs, connection);
    return new Promise<QueryResult>((resolve, reject) => {
      connection.query(values === undefined ? named : { ...named, values }, (error: Error | null, answer) => {
        clearTimeout(deadline);
        if (error === null) resolve(answer);
        else reject(error);
      });
    });
  };
  const client = Object.assign(Object.create(connection) as ReadingClient, { query, keepsStatements: false });
  return client;
}

/** How long the statements of a transaction may wait; less where the role has a limit of its own. */
export interface WaitingLimits {
  /** Each statement ends after so many milliseconds (`statement_timeout`). */
  readonly statementMs?: number;
  /** A statement ends when it has waited so many milliseconds for one lock (`lock_timeout`). */
  readonly lockMs?: number;
}

/** Limits the waiting for the rest of the transaction. */
export async function limitWaiting(client: SourceClient, limits: WaitingLimits): Promise<void> {
  await client.query(waitingLimits(limits).join("; "));
}

/** The statements that set the limits. */
function waitingLimits({ statementMs, lockMs }: WaitingLimits): readonly string[] {
  const limits = { statement_timeout: statementMs, lock_timeout: lockMs };
  return Object.entries(limits).flatMap(([setting, ms]) => {
    if (ms === undefined) return [];
    // A setting reads back with its unit, as an interval. Zero stands for no limit.
    const own = `nullif(extract(epoch FROM current_setting('${setting}')::interval) * 1000, 0)`;
    return [`SELECT set_config('${setting}', least(${own}, ${Math.round(ms)})::int::text, true)`];
  });
}

/** All columns as text, as the database writes them. */
export type TextRow = readonly (string | null)[];

/**
 * The rows of a query that every build asks. With a cursor, PostgreSQL would not plan for all rows, nor work
 * in parallel. A named query is parsed and planned once a session: that takes longer than running it for a
 * small tenant.
 */
export async function textRows(
  client: SourceClient,
  text: string,
  values: readonly unknown[],
): Promise<readonly TextRow[]> {
  const name = hash("sha256", text, "hex").slice(0, 32);
  const types = { getTypeParser: () => (text: unknown) => text };
  const config = { name, text, values: [...values], rowMode: "array", types } as unknown;
  return (await client.query<(string | null)[]>(config as QueryArrayConfig)).rows;
}

/** The rows of a query that is seldom asked, each as an array of its columns. */
export async function rowsOf<Row extends unknown[]>(
  client: SourceClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>({ text, values: [...values], rowMode: "array" });
  return rows;
}
