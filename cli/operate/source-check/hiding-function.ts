import type { SourceClient } from "../../database/connect.ts";
import type { CauseProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { ofView } from "./of-view.ts";

/**
 * P104: a function that the view calls, at whatever depth, and that reads a table to which row-level security applies. With
 * `row_security` off PostgreSQL refuses such a query, also where the policies would let all rows pass; so it is only said that
 * rows may be missing.
 */
export async function hidingFunction(client: SourceClient, view: string): Promise<CauseProblem | undefined> {
  const reading = await tryReading(client, async () => {
    await client.query("SET LOCAL row_security = off");
    // Of whole rows: else functions that only make a column would not be called. It is refused at the first call.
    return await client.query(
      `SELECT count(v) FROM (SELECT * FROM partner_source.${view} LIMIT ${triedRows}) AS v`,
    );
  });
  if (!("error" in reading) || !isOfPolicies(reading.error)) return undefined;
  const { message } = reading.error;
  return {
    ...ofView(view),
    code: "row_security",
    message: `A function behind partner_source.${view} reads a table whose row-level security applies to it: rows may be missing, without an error. PostgreSQL says: ${message}.`,
    fix: {
      kind: "advice",
      text: "let the view read the table itself, which tells policies that hide rows from those that hide none; or give a SECURITY DEFINER function to the table's owner or to a role with BYPASSRLS",
    },
  };
}

const triedRows = 1000;

/** By the place in PostgreSQL's code: the message is translated, and its SQLSTATE is that of every denied right. */
function isOfPolicies(error: Error): boolean {
  return "routine" in error && error.routine === "check_enable_rls";
}
