import { escapeIdentifier } from "pg";
import type { SourceClient } from "../../database/connect.ts";
import { contractViews } from "../../publish/source/contract.ts";
import type { CauseProblem } from "../../publish/source/source-problem.ts";
import { hidingFunction } from "./hiding-function.ts";
import { ofView } from "./of-view.ts";
import { type PolicyEffect, policyEffect } from "./policy-effect.ts";

/**
 * Views that may give this role fewer rows than there are: row-level security of a table behind a view hides rows without an
 * error, and a `security_invoker` view asks for rights that the generator should not need. The catalog says what is behind
 * views, but not what functions read: of those PostgreSQL itself is asked.
 */
export async function hiddenRows(client: SourceClient): Promise<readonly CauseProblem[]> {
  const { rows } = await client.query<BehindRow>(behindQuery);
  const calling = await client.query<CallingRow>(callingQuery);
  const found: CauseProblem[] = [];
  for (const { name } of contractViews) {
    const behind = rows.filter(({ view }) => view === name);
    for (const row of behind) {
      found.push(row.role === null ? invoker(row) : hiding(row, await policyEffect(client, row, row.role)));
    }
    const isCalling = calling.rows.some(({ view }) => view === name);
    if (!isCalling || behind.some(({ role }) => role !== null)) continue;
    const problem = await hidingFunction(client, name);
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

interface CallingRow {
  readonly view: string;
}

/** A relation behind a view, or the view itself. */
interface BehindRow {
  readonly view: string;
  /** As SQL writes it, with its schema: whoever pastes it has another search_path. */
  readonly relation: string;
  /** Whose row-level security applies to the relation; `null` for a view that is read as its caller. */
  readonly role: string | null;
  /** Restrictive policies that apply to the role: no other policy gives back what they take. */
  readonly restrictive: readonly string[];
  /** How many rows the relation has by the last VACUUM or ANALYZE; below 0 before the first. */
  readonly estimate: number;
}

/**
 * A view reads what is behind it as its owner, or as whoever asks when it is `security_invoker`, also behind another view.
 * Policies apply to a role that is neither superuser nor exempt nor, unless they are forced, an owner of the table; a
 * policy that lets the role see all rows hides none.
 */
const behindViews = `
  WITH RECURSIVE relation AS (
    SELECT oid, relname, relkind, relowner, reltuples::float8 AS estimate, relrowsecurity, relforcerowsecurity,
           relnamespace::regnamespace || '.' || quote_ident(relname) AS shown,
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
  )`;

/** Views behind which functions or operators are called that did not come with PostgreSQL. */
const callingQuery = `${behindViews}
  SELECT DISTINCT view
    FROM behind
    JOIN pg_rewrite ON ev_class = behind.oid
    JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = pg_rewrite.oid
                  AND refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)`;

/** Of a row of `pg_policy`: whether it decides which rows `role` reads. */
const isForReading = `polcmd IN ('r', '*')
         AND EXISTS (SELECT FROM unnest(polroles) AS member WHERE member = 0 OR pg_has_role(role, member, 'USAGE'))`;

const behindQuery = `${behindViews}
  SELECT DISTINCT view, shown AS relation, NULL AS role, '{}'::text[] AS restrictive, estimate
    FROM behind JOIN relation USING (oid)
   WHERE is_invoker
  UNION ALL
  SELECT DISTINCT view, shown, rolname::text, restrictive, estimate
    FROM behind
    JOIN relation USING (oid)
    JOIN pg_roles ON pg_roles.oid = role
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(polname::text ORDER BY polname), '{}') AS restrictive
        FROM pg_policy
       WHERE polrelid = relation.oid AND NOT polpermissive AND ${isForReading}
         AND pg_get_expr(polqual, polrelid) IS DISTINCT FROM 'true') AS restricting
   WHERE relrowsecurity AND NOT rolsuper AND NOT rolbypassrls
     AND (relforcerowsecurity OR NOT pg_has_role(role, relowner, 'USAGE'))
     AND NOT (
       restrictive = '{}'
       AND EXISTS (SELECT FROM pg_policy
                    WHERE polrelid = relation.oid AND polpermissive AND ${isForReading}
                      AND pg_get_expr(polqual, polrelid) = 'true'))
   ORDER BY 1, 2, 3`;

function hiding({ view, relation, role, restrictive }: BehindRow, effect: PolicyEffect): CauseProblem {
  const who = role ?? "";
  return {
    ...ofView(view),
    code: "row_security",
    message: `Row-level security of ${relation} applies to the role ${who}: rows that its policies hide are missing from partner_source.${view}, without an error${effect.words}.`,
    count: effect.hidden,
    fix:
      restrictive.length > 0
        ? { kind: "advice", text: unrestricted(who, restrictive) }
        : { kind: "sql", text: readingAll(who, relation) },
  };
}

function readingAll(role: string, relation: string): string {
  return `CREATE POLICY ${escapeIdentifier(`${role}_reads_all`)} ON ${relation} FOR SELECT TO ${escapeIdentifier(role)} USING (true);`;
}

/** To take a role out of a policy is to name all others, which only its author can. */
function unrestricted(role: string, policies: readonly string[]): string {
  const names = policies.map((policy) => escapeIdentifier(policy)).join(", ");
  const subject = policies.length === 1 ? `the policy ${names} is` : `the policies ${names} are`;
  return `${subject} restrictive, so no further policy gives back what is hidden: let rows pass for ${role}, too, or ALTER ROLE ${escapeIdentifier(role)} BYPASSRLS`;
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
