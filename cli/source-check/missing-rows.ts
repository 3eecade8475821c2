import type { TenantId } from "../../core/ids.ts";
import type { CauseProblem } from "../source/source-problem.ts";

/** Why nothing of the source, or of a tenant, would be published although no row is wrong: there is none. */
export function missingRows(
  rows: Readonly<Record<string, number | null>>,
  programs: ReadonlyMap<TenantId, number>,
): readonly CauseProblem[] {
  if (rows.tenants === 0) {
    const message = "partner_source.tenants gives no row, so nothing is built.";
    return [cause("no_tenants", "tenants", message, advice("tenants"))];
  }
  if (rows.programs === 0) {
    const message = "partner_source.programs gives no row, so every tenant's list is empty.";
    return [cause("no_programs", "programs", message, advice("programs"))];
  }
  const empty = [...programs].filter(([, count]) => count === 0).map(([tenantId]) => tenantId);
  if (empty.length === 0) return [];
  const message =
    empty.length === 1
      ? "1 tenant has no row in partner_source.programs: its list is empty."
      : `${empty.length} tenants have no row in partner_source.programs: their lists are empty.`;
  const text =
    "compare tenant_id of the views tenants and programs by byte; a tenant that offers nothing is well as it is";
  return [
    {
      ...cause("tenant_without_programs", "programs", message, text),
      column: "tenant_id",
      count: empty.length,
      examples: empty.slice(0, maxExamples).map((tenantId) => ({
        tenantId,
        programId: null,
        value: "no programs",
      })),
    },
  ];
}

const maxExamples = 5;

function advice(view: string): string {
  return `look whether DATABASE_URL names the right database, and whether SELECT * FROM partner_source.${view} gives rows to the view's owner`;
}

function cause(code: CauseProblem["code"], view: string, message: string, text: string): CauseProblem {
  return {
    severity: "warning",
    code,
    view,
    column: null,
    message,
    fix: { kind: "advice", text },
    count: null,
    examples: [],
  };
}
