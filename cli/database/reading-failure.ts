import pg from "pg";
import { Failure } from "../../core/failure.ts";
import { sourceFailure } from "./source-client.ts";

/**
 * What a reading of the views ended with. An error that the server found in a query is a view's fault (a division by zero, a cast
 * that fails at one row, a table that its owner may not read): the database was reached, and the contract is broken.
 */
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
