import { escapeIdentifier } from "pg";
import type { SourceClient } from "../../database/connect.ts";
import { counted } from "../../output/counted.ts";
import { contractViews } from "../../publish/source/contract.ts";
import type { CauseProblem, Fix } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { advice, viewProblem } from "./view-problem.ts";

/**
 * Views that may give this role fewer rows than there are. Row-level security of a table behind a view hides rows without an
 * error, and a `security_invoker` view asks for rights that the generator should not need. The catalog says which tables are
 * behind a view, but not what functions read. For those, PostgreSQL itself is asked.
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

/** Whether a row of `pg_policy` decides which rows `role` reads. */
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
  const message = `Row-level security of ${relation} applies to the role ${who}: rows that its policies hide are missing from partner_source.${view}, without an error${effect.words}.`;
  const policy = `CREATE POLICY ${escapeIdentifier(`${who}_reads_all`)} ON ${relation} FOR SELECT TO ${escapeIdentifier(who)} USING (true);`;
  const fix: Fix =
    restrictive.length > 0 ? advice(unrestricted(who, restrictive)) : { kind: "sql", text: policy };
  return { ...viewProblem("row_security", "warning", view, message, fix), count: effect.hidden };
}

/** Excluding a role from a policy means naming all others, which only its author can do. */
function unrestricted(role: string, policies: readonly string[]): string {
  const names = policies.map((policy) => escapeIdentifier(policy)).join(", ");
  const subject = policies.length === 1 ? `the policy ${names} is` : `the policies ${names} are`;
  return `${subject} restrictive, so no further policy gives back what is hidden: let rows pass for ${role}, too, or ALTER ROLE ${escapeIdentifier(role)} BYPASSRLS`;
}

function invoker({ view, relation }: BehindRow): CauseProblem {
  const isItself = relation === `partner_source.${view}`;
  const subject = isItself ? `The view ${relation}` : `The view ${relation}, behind partner_source.${view},`;
  const message = `${subject} is security_invoker: it reads its tables with the rights and policies of the connected role instead of its owner's.`;
  const text = `ALTER VIEW ${relation} SET (security_invoker = false);`;
  return viewProblem("security_invoker", "warning", view, message, { kind: "sql", text });
}

/**
 * P104: a function that the view calls, at whatever depth, and that reads a table to which row-level security applies. With
 * `row_security` off PostgreSQL refuses such a query, also where the policies would let all rows pass; so it is only said that
 * rows may be missing.
 */
async function hidingFunction(client: SourceClient, view: string): Promise<CauseProblem | undefined> {
  const reading = await tryReading(client, async () => {
    await client.query("SET LOCAL row_security = off");
    // Whole rows are selected, so that functions behind single columns are called, too.
    return await client.query(
      `SELECT count(v) FROM (SELECT * FROM partner_source.${view} LIMIT ${triedRows}) AS v`,
    );
  });
  // The error is recognised by its place in PostgreSQL's code. Its message is translated, and all denied rights share its SQLSTATE.
  const isOfPolicies =
    "error" in reading && "routine" in reading.error && reading.error.routine === "check_enable_rls";
  if (!isOfPolicies) return undefined;
  const message = `A function behind partner_source.${view} reads a table whose row-level security applies to it: rows may be missing, without an error. PostgreSQL says: ${reading.error.message}.`;
  const fix = advice(
    "let the view read the table itself, which tells policies that hide rows from those that hide none; or give a SECURITY DEFINER function to the table's owner or to a role with BYPASSRLS",
  );
  return viewProblem("row_security", "warning", view, message, fix);
}

const triedRows = 1000;

/** What row-level security takes away from a role, as far as the connected role can know. */
interface PolicyEffect {
  /** `null` when it cannot be counted. */
  readonly hidden: number | null;
  /** The end of a sentence: how many rows that is. */
  readonly words: string;
}

/**
 * P104: counts the rows that the role does not see, if the connected role is exempt from the policies (all rows) and may act as
 * the role (visible rows). Otherwise PostgreSQL's estimate of the table is reported; below 0 there is none.
 */
async function policyEffect(
  client: SourceClient,
  { relation, estimate }: { readonly relation: string; readonly estimate: number },
  role: string,
): Promise<PolicyEffect> {
  const count = async (preparation: string): Promise<number | undefined> => {
    const reading = await tryReading(client, async () => {
      await client.query(preparation);
      return await client.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${relation}`);
    });
    return "result" in reading ? Number(reading.result.rows[0]?.rows) : undefined;
  };
  // With row_security off, a query fails if a policy would hide rows from it.
  const all = await count("SET LOCAL row_security = off");
  const seen = await count(`SET LOCAL ROLE ${escapeIdentifier(role)}`);
  if (all !== undefined && seen !== undefined) {
    return { hidden: all - seen, words: `: ${counted(all - seen, "row")} of ${counted(all, "row")}` };
  }
  const estimated = estimate < 0 ? undefined : `about ${counted(estimate, "row")}`;
  const total = all === undefined ? estimated : counted(all, "row");
  const parts = [
    ...(seen === undefined ? [] : [`it sees ${counted(seen, "row")}`]),
    ...(total === undefined ? [] : [`the table has ${total}`]),
  ];
  return { hidden: null, words: parts.length === 0 ? "" : ` (${parts.join(", ")})` };
}
