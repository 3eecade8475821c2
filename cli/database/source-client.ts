import pg from "pg";
import { Failure } from "../../core/failure.ts";

/** The connection string, which holds a password; or a function that gives the present one, since passwords are rotated. */
export type DatabaseUrl = string | (() => string);

export function presentUrl(databaseUrl: DatabaseUrl): string {
  return typeof databaseUrl === "string" ? databaseUrl : databaseUrl();
}

export const connectTimeoutMs = 10_000;

/** Runs with a connection of its own; an abort closes it. Throws `source_unavailable` when the server can't be reached. */
export async function withSourceClient<Result>(
  options: { readonly databaseUrl: DatabaseUrl; readonly signal?: AbortSignal | undefined },
  run: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = createClient(options.databaseUrl);
  // Without a listener a connection that breaks between two queries would end the process.
  client.on("error", () => {});
  const abort = (): void => cutConnection(client);
  try {
    await client.connect();
    options.signal?.addEventListener("abort", abort);
    if (options.signal?.aborted) abort();
    return await run(client);
  } catch (error) {
    if (options.signal?.aborted) throw new Failure("interrupted", "Interrupted.", { cause: error });
    throw sourceFailure(error);
  } finally {
    options.signal?.removeEventListener("abort", abort);
    await endClient(client);
  }
}

/** Runs inside one transaction. */
export async function withTransaction<Result>(
  client: pg.ClientBase,
  run: () => Promise<Result>,
): Promise<Result> {
  await client.query("BEGIN");
  try {
    const result = await run();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** The driver's error as a failure for operators. Its messages name hosts and users but never passwords. */
export function sourceFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const message = explanation(error, "code" in error ? String(error.code) : "");
  return message === undefined ? error : new Failure("source_unavailable", message, { cause: error });
}

function explanation(error: Error, code: string): string | undefined {
  const reason = error.message || code || error.name;
  switch (code) {
    case "42501":
      return `The database role lacks a privilege: ${reason}.`;
    case "57014":
      return `The booking database ended a query before it was done (${reason}). Run it again; where the role has a statement_timeout of its own, raise it.`;
    case "55P03":
      return `The booking database ended a query before it was done (${reason}). A table behind the views is locked: pg_blocking_pids() names the session. Run it again when that one is done.`;
    case "25006":
      return `The booking database takes no changes from this role (${reason}). Use a role that may write, and no replica.`;
    case "28P01":
      return `The booking database refuses the password (${reason}). Check DATABASE_URL: in a password # is written %23, % %25, / %2F, : %3A, ? %3F and @ %40.`;
  }
  if (/^(ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(code)) {
    return `The booking database's certificate is not trusted (${reason}). In DATABASE_URL, sslrootcert=FILE names the certificate of its authority; sslmode=no-verify goes without checking it.`;
  }
  if (/does not support SSL/.test(reason)) {
    return "The booking database speaks no TLS. Switch it on there, or remove sslmode from DATABASE_URL.";
  }
  // SQLSTATE class 08 and 57P: connection and shutdown; 25P03 and 25P04: a session or transaction that lasted too long; 28 and
  // 3D: role and database; E...: the operating system. An error of the server is judged by its code alone, since its words may
  // quote a value, such as "connect".
  const isOfServer = error instanceof pg.DatabaseError;
  const isUnreached =
    /^(08|57P|25P0[34]|28|3D|53|E[A-Z]+$)/.test(code) ||
    (!isOfServer && /connect|terminated|timeout/i.test(reason));
  if (!isUnreached) return undefined;
  return `The booking database could not be reached (${reason}). Check DATABASE_URL, and that the server is up and the role may connect.`;
}

/** A client that is not connected yet. `own`: what this connection needs beside the usual. */
export function createClient(databaseUrl: DatabaseUrl, own: pg.ClientConfig = {}): pg.Client {
  return new pg.Client({
    connectionString: presentUrl(databaseUrl),
    application_name: "partner-programs",
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    ...own,
  });
}

/** A server that is gone without a word never answers the farewell. */
export const maxFarewellMs = 2000;

/** Ends the connection; never throws, and never waits for a server that does not answer. */
export async function endClient(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => cutConnection(client), maxFarewellMs);
  try {
    await client.end();
  } catch {
    // It is ended either way.
  } finally {
    clearTimeout(cut);
  }
}

/**
 * Ends the connection at once, with any query under way, whose promise rejects with `reason`. `pg` has no call for that: `end`
 * waits for the query and for a server that may be gone. So this takes the socket, the only inside of `pg` that the generator uses.
 */
export function cutConnection(client: pg.Client | pg.PoolClient, reason?: Error): void {
  client.connection.stream.destroy(reason);
}

/** An error that the server found in a query, such as a division by zero, is a view's fault: the contract is broken. */
export function readingFailure(error: unknown): unknown {
  const failure = sourceFailure(error);
  const isOfView = error instanceof pg.DatabaseError && (failure === error || error.code === "42501");
  if (!isOfView) return failure;
  return new Failure(
    "source_contract",
    `A view of the schema partner_source fails: ${error.message}. \`partner-programs source check\` names the view and the fix.`,
    { cause: error },
  );
}

/** Whether PostgreSQL gave the error one of these codes (SQLSTATE). */
export function hasSqlState(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** Whether PostgreSQL ended the query because of a time limit or a lock. */
export function isEndedQuery(error: unknown): boolean {
  return hasSqlState(error, "57014", "55P03");
}
