import { escapeIdentifier } from "pg";
import type { SourceClient } from "../database/connect.ts";
import { contractViews } from "../source/contract.ts";
import type { CauseProblem } from "../source/source-problem.ts";

/**
 * Views that may give this role fewer rows than there are, by what the catalog says: row-level security of a table behind a
 * view hides rows without an error, and a `security_invoker` view asks for rights that the generator should not need.
 */
export async function hiddenRows(client: SourceClient): Promise<readonly CauseProblem[]> {
  const { rows } = await client.query<BehindRow>(behindQuery);
  return contractViews.flatMap(({ name }) =>
    rows.filter(({ view }) => view === name).map((row) => (row.role === null ? invoker(row) : hiding(row))),
  );
}

/** A relation behind a view, or the view itself. */
interface BehindRow {
  readonly view: string;
  readonly relation: string;
  /** Whose row-level security applies to the relation; `null` for a view that is read as its caller. */
  readonly role: string | null;
}

/**
 * A view reads what is behind it as its owner, or as whoever asks when it is `security_invoker`, also behind another view.
 * Policies apply to a role that is neither superuser nor exempt nor, unless they are forced, an owner of the table; a
 * policy that lets the role see all rows hides none.
 */
const behindQuery = `
  WITH RECURSIVE relation AS (
    SELECT oid, relname, relkind, relowner, relrowsecurity, relforcerowsecurity,
           oid::regclass::text AS shown,
           EXISTS (SELECT FROM pg_options_to_table(reloptions)
                    WHERE CASE option_name WHEN 'security_invoker' THEN option_value::boolean END) AS is_invoker
      FROM pg_class
  ),
  behind (view, oid, role) AS (
    SELECT relname::text, oid, (SELECT oid FROM pg_roles WHERE rolname = current_user)
      FROM relation
     WHERE oid IN (SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace('partner_source'))
    UNION
    SELECT behind.view, pg_depend.refobjid,
           CASE WHEN is_invoker THEN (SELECT oid FROM pg_roles WHERE rolname = current_user) ELSE relowner END
      FROM behind
      JOIN relation ON relation.oid = behind.oid AND relkind IN ('v', 'm')
      JOIN pg_rewrite ON ev_class = relation.oid
      JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = pg_rewrite.oid
                    AND refclassid = 'pg_class'::regclass AND refobjid <> relation.oid
  )
  SELECT DISTINCT view, shown AS relation, NULL AS role
    FROM behind JOIN relation USING (oid)
   WHERE is_invoker
  UNION ALL
  SELECT DISTINCT view, shown, rolname::text
    FROM behind
    JOIN relation USING (oid)
    JOIN pg_roles ON pg_roles.oid = role
   WHERE relrowsecurity AND NOT rolsuper AND NOT rolbypassrls
     AND (relforcerowsecurity OR NOT pg_has_role(role, relowner, 'USAGE'))
     AND NOT (
       EXISTS (SELECT FROM pg_policy
                WHERE polrelid = relation.oid AND polpermissive AND polcmd IN ('r', '*')
                  AND pg_get_expr(polqual, polrelid) = 'true'
                  AND EXISTS (SELECT FROM unnest(polroles) AS member
                               WHERE member = 0 OR pg_has_role(role, member, 'USAGE')))
       AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = relation.oid AND NOT polpermissive AND polcmd IN ('r', '*')))
   ORDER BY 1, 2, 3`;

function hiding({ view, relation, role }: BehindRow): CauseProblem {
  const who = role ?? "";
  return {
    ...ofView(view),
    code: "row_security",
    message: `Row-level security of ${relation} applies to the role ${who}: rows that its policies hide are missing from partner_source.${view}, without an error.`,
    fix: {
      kind: "sql",
      text: `CREATE POLICY ${escapeIdentifier(`${who}_reads_all`)} ON ${relation} FOR SELECT TO ${escapeIdentifier(who)} USING (true);`,
    },
  };
}

function invoker({ view, relation }: BehindRow): CauseProblem {
  const isItself = relation === `partner_source.${view}`;
  const subject = isItself ? `The view ${relation}` : `The view ${relation}, behind partner_source.${view},`;
  return {
    ...ofView(view),
    code: "security_invoker",
    message: `${subject} is security_invoker: it reads its tables with the rights and policies of the connected role instead of its owner's.`,
    fix: { kind: "sql", text: `ALTER VIEW ${relation} SET (security_invoker = false);` },
  };
}

function ofView(view: string): Omit<CauseProblem, "code" | "message" | "fix"> {
  return { severity: "warning", view, column: null, count: null, examples: [] };
}
