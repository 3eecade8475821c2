import type { SourceClient } from "../../database/connect.ts";
import { contractViews } from "../../publish/source/contract.ts";
import type { CatalogSchema } from "../../publish/source/read-structure.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { advice, viewProblem } from "./view-problem.ts";

/**
 * P104: views that may give this role fewer rows than there are. Policies hide rows without an error, and a `security_invoker` view
 * asks for rights that the generator should not need. With `row_security` off PostgreSQL refuses a query to which policies apply, at
 * whatever depth, also where they would let all rows pass; so it is only said that rows may be missing.
 */
export async function hiddenRows(
  client: SourceClient,
  { relations }: CatalogSchema,
): Promise<readonly SourceProblem[]> {
  const found: SourceProblem[] = [];
  for (const { name } of contractViews) {
    if (relations.some((relation) => relation.name === name && relation.isInvoker)) found.push(invoker(name));
    const reading = await tryReading(client, async () => {
      await client.query("SET LOCAL row_security = off");
      // Whole rows are selected, so that functions behind single columns are called, too.
      return await client.query(
        `SELECT count(v) FROM (SELECT * FROM partner_source.${name} LIMIT ${triedRows}) AS v`,
      );
    });
    // The error is recognised by its place in PostgreSQL's code. Its message is translated, and all denied rights share its SQLSTATE.
    const isOfPolicies =
      "error" in reading && "routine" in reading.error && reading.error.routine === "check_enable_rls";
    if (isOfPolicies) found.push(hiding(name, reading.error.message));
  }
  return found;
}

const triedRows = 1000;

function hiding(view: string, said: string): SourceProblem {
  const message = `Row-level security applies to what partner_source.${view} reads: rows that its policies hide are missing, without an error. PostgreSQL says, tried with row_security = off: ${said}.`;
  const fix = advice(
    "ALTER ROLE ... BYPASSRLS for the role that the message is about: the owner of the view or of the function that reads the table. Where a policy shows that role all rows, nothing is missing and this warning may be passed over",
  );
  return viewProblem("row_security", "warning", view, message, fix);
}

function invoker(view: string): SourceProblem {
  const message = `The view partner_source.${view} is security_invoker: it reads its tables with the rights and policies of the connected role instead of its owner's.`;
  const text = `ALTER VIEW partner_source.${view} SET (security_invoker = false);`;
  return viewProblem("security_invoker", "warning", view, message, { kind: "sql", text });
}
