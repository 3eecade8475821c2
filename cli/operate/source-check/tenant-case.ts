import type { SourceProblem } from "../../publish/source/source-problem.ts";

/**
 * D140: tenant ids are compared by their bytes. Programs whose tenant id differs in case only from that of a listed tenant
 * belong to nobody, and the tenant gets none: nearly always a slip such as `lower(code)` in one of the views.
 * `claimed`: the tenant ids of programs that the view `tenants` does not list.
 */
export function caseProblems(
  listed: readonly string[],
  claimed: readonly string[],
): readonly SourceProblem<"tenant_id_case">[] {
  const byLowerCase = new Map(listed.map((tenantId) => [tenantId.toLowerCase(), tenantId]));
  const examples = claimed.flatMap((value) => {
    const tenantId = byLowerCase.get(value.toLowerCase());
    return tenantId === undefined ? [] : [{ tenantId, programId: null, value }];
  });
  if (examples.length === 0) return [];
  return [
    {
      severity: "error",
      code: "tenant_id_case",
      view: "programs",
      column: "tenant_id",
      message: `${examples.length} tenant id(s) of partner_source.programs differ from those of partner_source.tenants in case only, so their programs belong to no tenant.`,
      fix: {
        kind: "advice",
        text: "write tenant_id the same way in all views; look for lower() or upper() in one of them",
      },
      count: examples.length,
      examples: examples.slice(0, maxExamples),
    },
  ];
}

const maxExamples = 5;
