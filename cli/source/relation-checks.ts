import type { ProblemCode } from "../public-program/problem.ts";
import { childViews } from "./source-columns.ts";

/** Rows that break a rule together with others. Views may differ in collation; ids are compared by byte. */
export interface RelationCheck {
  readonly code: ProblemCode;
  readonly view: string;
  readonly column: string | null;
  /** A query for what is wrong, with the columns `tenant_id`, `program_id`, `value` and `rows` (how many it concerns). */
  readonly query: string;
  readonly advice: string;
}

export const relationChecks: readonly RelationCheck[] = [
  {
    code: "tenant_duplicate",
    view: "tenants",
    column: "tenant_id",
    query: `
      SELECT tenant_id::text, NULL AS program_id, count(*) || ' rows' AS value, count(*) AS rows
        FROM partner_source.tenants GROUP BY 1 HAVING count(*) > 1`,
    advice: "look for a join in the view that multiplies its rows",
  },
  {
    code: "program_id_duplicate",
    view: "programs",
    column: "program_id",
    query: `
      SELECT tenant_id::text, program_id::text, count(*) || ' rows' AS value, count(*) AS rows
        FROM partner_source.programs GROUP BY 1, 2 HAVING count(*) > 1`,
    advice: "look for a join in the view that multiplies its rows",
  },
  {
    code: "programs_of_unknown_tenant",
    view: "programs",
    column: "tenant_id",
    query: `
      SELECT tenant_id::text, min(program_id::text) AS program_id, count(*) || ' programs' AS value, count(*) AS rows
        FROM partner_source.programs AS program
       WHERE NOT EXISTS (
         SELECT FROM partner_source.tenants AS tenant WHERE tenant.tenant_id::text COLLATE "C" = program.tenant_id::text)
       GROUP BY 1`,
    advice: "add the tenant to the view tenants",
  },
  ...Object.values(childViews).map(rowsOfUnknownProgram),
  {
    code: "lead_guide_surplus",
    view: "staff",
    column: "role",
    query: `
      SELECT tenant_id::text, program_id::text, count(*) || ' lead guides' AS value, count(*) AS rows
        FROM partner_source.staff WHERE lower(role::text COLLATE "C") = 'lead_guide' GROUP BY 1, 2 HAVING count(*) > 1`,
    advice: "make the others teachers, or leave them out of the view",
  },
];

function rowsOfUnknownProgram(view: string): RelationCheck {
  return {
    code: "rows_of_unknown_program",
    view,
    column: "program_id",
    query: `
      SELECT tenant_id::text, program_id::text, count(*) || ' rows' AS value, count(*) AS rows
        FROM partner_source.${view} AS child
       WHERE NOT EXISTS (
         SELECT FROM partner_source.programs AS program
          WHERE program.tenant_id::text COLLATE "C" = child.tenant_id::text
            AND program.program_id::text COLLATE "C" = child.program_id::text)
       GROUP BY 1, 2`,
    advice: "leave the rows out of the view, or add their programs to the view programs",
  };
}
