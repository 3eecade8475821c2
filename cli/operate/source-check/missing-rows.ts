import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { rowsOf } from "../../database/connect.ts";
import { contractViews, viewNames } from "../../publish/source/contract.ts";
import type { CatalogSchema } from "../../publish/source/read-structure.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/tenant-rows.ts";
import { type FindingGroups, maxExamples, viewProblem } from "./findings.ts";
import type { Unreadable } from "./unreadable.ts";

/** What a build would make of a tenant's programs. */
export interface ProgramTally {
  programs: number;
  /** Those that partners would see. */
  published: number;
  /** Those whose state says that they are not to be published. */
  unpublished: number;
}

/**
 * P103: why nothing of the source, or of a tenant, would be published although no row is wrong. A source without a tenant or
 * without a program is an error: it is not yet there, or it is not the one that was meant. A tenant that offers nothing is
 * a warning, since that may be so.
 */
export function missingRows(
  rows: Readonly<Record<string, number | null>>,
  tallies: ReadonlyMap<TenantId, ProgramTally>,
): readonly SourceProblem[] {
  for (const [view, code, meaning] of [
    ["tenants", "no_tenants", "nothing is built"],
    ["programs", "no_programs", "every tenant's list is empty"],
  ] as const) {
    if (rows[view] !== 0) continue;
    const message = `partner_source.${view} gives no row, so ${meaning}.`;
    const fix = `look whether DATABASE_URL names the right database, and whether SELECT * FROM partner_source.${view} gives rows to the view's owner`;
    return [viewProblem(code, "error", view, message, fix)];
  }
  return emptyTenants.flatMap(({ code, column, has, fix, isSo }) => {
    const empty = [...tallies].filter(([, tally]) => isSo(tally));
    const count = empty.length;
    if (count === 0) return [];
    const who =
      count === 1 ? `1 tenant has ${has}: its list is` : `${count} tenants have ${has}: their lists are`;
    const advice = `${fix}; a tenant that offers nothing is well as it is`;
    const examples = empty.slice(0, maxExamples).map(([tenantId, { programs }]) => {
      const value = programs === 0 ? "no programs" : `${programs} program(s), none active`;
      return { tenantId, programId: null, value };
    });
    const found = { column, count, examples };
    return [viewProblem(code, "warning", "programs", `${who} empty.`, advice, found)];
  });
}

const emptyTenants = [
  {
    code: "tenant_without_programs",
    column: "tenant_id",
    has: "no row in partner_source.programs",
    fix: "compare tenant_id of the views tenants and programs by byte: another case is another tenant",
    isSo: ({ programs }: ProgramTally) => programs === 0,
  },
  {
    code: "tenant_without_active",
    column: "lifecycle_state",
    has: "no active program",
    fix: "look at the states that the view gives them: SELECT lifecycle_state, count(*) FROM partner_source.programs GROUP BY 1",
    isSo: ({ programs, unpublished }: ProgramTally) => programs > 0 && unpublished === programs,
  },
];

/**
 * Counts the rows of each view. P103: no build reads rows without a tenant or of unlisted tenants, so they are reported here. For
 * programs, builds report them, too.
 */
export async function countedRows(
  client: SourceClient,
  tenants: readonly string[],
  groups: FindingGroups,
  unreadable: Unreadable,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const view of viewNames()) {
    const reading = await tryReading(client, () => rowsOf<Counts>(client, countQuery(view), [tenants]));
    if ("error" in reading) unreadable.addView(view, reading.error);
    const counts = "result" in reading ? reading.result[0] : undefined;
    const [all = "0", nameless = "0", foreign = "0", firstForeign = null] = counts ?? [];
    rows[view] = Number(all);
    if (view === "tenants" || view === "programs") continue;
    const found = [
      ["tenant_id_null", Number(nameless), null],
      ["rows_of_unknown_tenant", tenants.length > 0 ? Number(foreign) : 0, firstForeign],
    ] as const;
    for (const [code, count, tenantId] of found) {
      const example = { tenantId, programId: null, value: `${count} row(s)` };
      if (count > 0) groups.add(code, { view, column: "tenant_id" }, example, count);
    }
  }
  return rows;
}

type Counts = [rows: string, nameless: string, foreign: string, firstForeign: string | null];

function countQuery(view: string): string {
  const isForeign =
    'tenant_id IS NOT NULL AND tenant_id::text COLLATE "C" NOT IN (SELECT unnest($1::text[]))';
  return `
  SELECT count(*), count(*) FILTER (WHERE tenant_id IS NULL), count(*) FILTER (WHERE ${isForeign}),
         min(left(tenant_id::text, 1000)) FILTER (WHERE ${isForeign})
    FROM partner_source.${view}`;
}

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
