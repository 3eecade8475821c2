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

/** An error of the query itself has a SQLSTATE of five characters. Errors of the connection are left out. */
function isOfSource(error: unknown): error is Error {
  if (error instanceof Failure) return error.code === "internal";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
}
