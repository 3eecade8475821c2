import { Failure } from "../../../core/failure.ts";
import type { SourceClient } from "../../database/connect.ts";

export type Reading<Result> =
  | { readonly result: Result }
  /** Why the source could not be read. */
  | { readonly error: Error };

/**
 * Reads within a savepoint of the current transaction, so that a view that fails does not end the whole reading. Cursors
 * opened by `read` are closed. A broken connection throws.
 */
export async function tryReading<Result>(
  client: SourceClient,
  read: () => Promise<Result>,
): Promise<Reading<Result>> {
  await client.query("SAVEPOINT before_reading");
  const reading = await read().then(
    (result) => ({ result }),
    (error: unknown) => {
      if (isOfSource(error)) return { error };
      throw error;
    },
  );
  await client.query("ROLLBACK TO SAVEPOINT before_reading; RELEASE SAVEPOINT before_reading");
  return reading;
}

/**
 * An error of the query itself, which has a SQLSTATE of five characters, or impossible rows. Errors of the connection are
 * neither.
 */
function isOfSource(error: unknown): error is Error {
  if (error instanceof Failure) return error.code === "internal";
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return false;
  return /^[0-9A-Z]{5}$/.test(error.code) && !/^(08|57P)/.test(error.code);
}
