import type { SourceClient } from "../../database/connect.ts";
import { contractViews } from "../../publish/source/contract.ts";
import type { CatalogSchema } from "../../publish/source/read-structure.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { viewProblem } from "./findings.ts";

/**
 * P103: views that may give this role fewer rows than there are. Policies hide rows without an error, and a `security_invoker` view
 * asks for rights that the generator should not need. With `row_security` off PostgreSQL refuses a query to which policies apply, at
 * whatever depth, also where they would let all rows pass; so it is only said that rows may be missing.
 */
export async function hiddenRows(
  client: SourceClient,
  { relations }: CatalogSchema,
): Promise<readonly SourceProblem[]> {
  const found: SourceProblem[] = [];
  for (const { name } of contractViews) {
    const view = `partner_source.${name}`;
    if (relations.some((relation) => relation.name === name && relation.isInvoker)) {
      const message = `The view ${view} is security_invoker: it reads its tables with the rights and policies of the connected role instead of its owner's.`;
      const text = `ALTER VIEW ${view} SET (security_invoker = false);`;
      found.push(viewProblem("security_invoker", "warning", name, message, { kind: "sql", text }));
    }
    const reading = await tryReading(client, async () => {
      await client.query("SET LOCAL row_security = off");
      // Whole rows are selected, so that functions behind single columns are called, too.
      return await client.query(`SELECT count(v) FROM (SELECT * FROM ${view} LIMIT 1000) AS v`);
    });
    // The error is recognised by its place in PostgreSQL's code. Its message is translated, and all denied rights share its SQLSTATE.
    if (!("error" in reading && "routine" in reading.error)) continue;
    if (reading.error.routine !== "check_enable_rls") continue;
    const message = `Row-level security applies to what ${view} reads: rows that its policies hide are missing, without an error. PostgreSQL says, tried with row_security = off: ${reading.error.message}.`;
    const fix =
      "ALTER ROLE ... BYPASSRLS for the role that the message is about: the owner of the view or of the function that reads the table. Where a policy shows that role all rows, nothing is missing and this warning may be passed over";
    found.push(viewProblem("row_security", "warning", name, message, fix));
  }
  return found;
}
