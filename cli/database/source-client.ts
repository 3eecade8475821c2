import pg from "pg";
import { Failure } from "../../core/failure.ts";
import { cutConnection } from "./cut-connection.ts";
import { endClient } from "./end-client.ts";

export interface SourceClientOptions {
  /** Holds a password: never shown. */
  readonly databaseUrl: string;
  readonly signal?: AbortSignal | undefined;
}

const connectTimeoutMs = 10_000;

/**
 * Runs with a connection of its own to the booking database; an abort closes it, which makes the server give up
 * what it was doing. Throws `source_unavailable` when the server can't be reached or the connection breaks.
 */
export async function withSourceClient<Result>(
  options: SourceClientOptions,
  run: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    application_name: "partner-programs",
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
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

/** What the driver threw, as a failure for operators. Its messages name hosts and users but never passwords. */
export function sourceFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  const reason = error.message || code || error.name;
  if (code === "42501") {
    return new Failure("source_unavailable", `The database role lacks a privilege: ${reason}.`, {
      cause: error,
    });
  }
  if (code === "25006") {
    return new Failure(
      "source_unavailable",
      `The booking database takes no changes from this role (${reason}). Use a role that may write, and no replica.`,
      { cause: error },
    );
  }
  // SQLSTATE class 08 and 57P: connection and shutdown; 28 and 3D: role and database; E...: the operating system.
  if (/^(08|57P|28|3D|53|E[A-Z]+$)/.test(code) || /connect|terminated|timeout/i.test(reason)) {
    return new Failure(
      "source_unavailable",
      `The booking database could not be reached (${reason}). ` +
        "Check DATABASE_URL, and that the server is up and the role may connect.",
      { cause: error },
    );
  }
  return error;
}
