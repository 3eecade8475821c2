import pg from "pg";
import { Failure } from "../../core/ground/failure.ts";

/** The connection string with its password; or a function that gives it, since passwords are rotated. */
export type DatabaseUrl = string | (() => string);

export function presentUrl(databaseUrl: DatabaseUrl): string {
  return typeof databaseUrl === "string" ? databaseUrl : databaseUrl();
}

export const connectTimeoutMs = 10_000;

/** Runs with its own connection; an abort closes it. Throws `source_unavailable` if no server answers. */
export async function withSourceClient<Result>(
  options: { readonly databaseUrl: DatabaseUrl; readonly signal?: AbortSignal | undefined },
  run: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = createClient(options.databaseUrl);
  let said: Error | undefined;
  // Without a listener a connection that breaks between two queries would end the process.
  client.on("error", (error) => {
    said ??= error;
  });
  const abort = (): void => cutConnection(client);
  try {
    await client.connect();
    options.signal?.addEventListener("abort", abort);
    if (options.signal?.aborted) abort();
    return await run(client);
  } catch (error) {
    if (options.signal?.aborted) throw new Failure("interrupted", "Interrupted.", { cause: error });
    throw sourceFailure(withReason(error, said));
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
  const [, , words] = causeOf(error) ?? [];
  if (words === undefined) return error;
  const reason = error.message || codeOf(error) || error.name;
  return new Failure("source_unavailable", words(reason), { cause: error });
}

/**
 * `passing`: the same reading may succeed in a moment. `server`: a limit or a fault of the server. `session`:
 * there is no session, or none any more. `query`: the query was refused or ended, and the session goes on.
 */
type Cause = "passing" | "server" | "session" | "query";

/** P195: the cause of an error by its SQLSTATE or Node's code. Any other error is one that a view raises. */
const causes: readonly (readonly [codes: RegExp, cause: Cause, words: (reason: string) => string])[] = [
  [/^42501$/, "query", (reason) => `The database role lacks a privilege: ${reason}.`],
  [
    /^57014$/,
    "query",
    (reason) =>
      `The booking database ended a query before it was done (${reason}). Run it again; where the role has a statement_timeout of its own, raise it.`,
  ],
  [
    /^55P03$/,
    "query",
    (reason) =>
      `The booking database ended a query before it was done (${reason}). A table behind the views is locked: pg_blocking_pids() names the session. Run it again when that one is done.`,
  ],
  [
    /^25006$/,
    "query",
    (reason) =>
      `The booking database takes no changes from this role (${reason}). Use a role that may write, and no replica.`,
  ],
  [
    /^(40...|57P0[123])$/,
    "passing",
    (reason) => `The booking database ended the reading, which passes (${reason}). Run it again.`,
  ],
  [
    /^(53|58|XX)...$/,
    "server",
    (reason) => `The booking database reports a limit or a fault of its own: ${reason}.`,
  ],
  [
    /^(25P0[34]|57P05)$/,
    "session",
    (reason) =>
      `The booking database ended the session by a limit of the role or the server (${reason}). Raise that limit, or run it again.`,
  ],
  [
    /^28P01$/,
    "session",
    (reason) =>
      `The booking database refuses the password (${reason}). Check DATABASE_URL: in a password # is written %23, % %25, / %2F, : %3A, ? %3F and @ %40.`,
  ],
  [
    /^(ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/,
    "session",
    (reason) =>
      `The booking database's certificate is not trusted (${reason}). In DATABASE_URL, sslrootcert=FILE names the certificate of its authority; sslmode=no-verify goes without checking it.`,
  ],
  [
    /^no TLS$/,
    "session",
    () => "The booking database speaks no TLS. Switch it on there, or remove sslmode from DATABASE_URL.",
  ],
  // Classes 08: connection; 28 and 3D: role and database; E...: the operating system.
  [
    /^((08|28|3D|57P)..?.?|E[A-Z]+)$/,
    "session",
    (reason) =>
      `The booking database could not be reached (${reason}). Check DATABASE_URL, and that the server is up and the role may connect.`,
  ],
];

function causeOf(error: unknown): (typeof causes)[number] | undefined {
  const code = codeOf(error);
  return causes.find(([codes]) => codes.test(code));
}

/** The code by which an error is judged. A server's words are not: they may quote a value like "connect". */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if (error instanceof pg.DatabaseError) return error.code ?? "";
  if (/does not support SSL/.test(error.message)) return "no TLS";
  const code = "code" in error ? String(error.code) : "";
  return code === "" && /connect|terminated|timeout/i.test(error.message) ? "ECONNRESET" : code;
}

/** Whether the same reading may soon succeed: a conflict on a standby, a deadlock, a server that restarts. */
export function isPassing(error: unknown): boolean {
  return causeOf(error)?.[1] === "passing";
}

/** Whether the error says something of what was asked, so that the session can be asked something else. */
export function isOfQuery(error: unknown): error is Error {
  const [, cause = "query"] = causeOf(error) ?? [];
  return cause === "query" && /^[0-9A-Z]{5}$/.test(codeOf(error));
}

/** The error, or what the server said when it ended the session: the driver just says "not queryable". */
export function withReason(error: unknown, said: Error | undefined): unknown {
  const isOfDriver = !(error instanceof Failure) && !(error instanceof pg.DatabaseError);
  return isOfDriver && said instanceof pg.DatabaseError ? said : error;
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
 * Ends the connection at once, with any query under way, whose promise rejects with `reason`. `pg` has no
 * call for that: `end` waits for the query and for a server that may be gone. So this takes the socket, the
 * only inside of `pg` that the generator uses.
 */
export function cutConnection(client: pg.Client | pg.PoolClient, reason?: Error): void {
  client.connection.stream.destroy(reason);
}

/** An error of a query's rows, such as a division by zero, is a view's fault: the contract is broken. */
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

/** Whether the server was reached and could not answer: a time limit, a lock, a conflict, its own fault. */
export function isAnswer(error: unknown): boolean {
  const [, cause] = causeOf(error) ?? [];
  return hasSqlState(error, "57014", "55P03") || cause === "passing" || cause === "server";
}
