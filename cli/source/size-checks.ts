import type { ProgramView } from "./contract.ts";
import { measuredView, sizeOf } from "./measured-rows.ts";
import type { RelationCheck } from "./relation-checks.ts";
import type { RowCheck } from "./row-checks.ts";
import { type SourceColumn, viewColumns } from "./source-columns.ts";
import type { SourceLimits } from "./source-limits.ts";

const views = Object.keys(viewColumns) as ProgramView[];

/** Values that no build reads, since they are larger than MAX_VALUE_KB. */
export function sizeChecks(limits: SourceLimits): readonly RowCheck[] {
  return views.flatMap((view) =>
    viewColumns[view]
      .filter(({ kind }) => kind !== "fixed")
      .map((column: SourceColumn) => ({
        code: "value_too_large" as const,
        view,
        column: column.name,
        condition: isTooLarge(column, limits),
        value: `${sizeOf(column, limits, `(${column.sql})`)} || ' bytes'`,
        advice: "shorten it in the view, or raise MAX_VALUE_KB for all builds",
      })),
  );
}

/** Programs of which a view has more than MAX_PROGRAM_KB. */
export function programSizeChecks(limits: SourceLimits): readonly RelationCheck[] {
  return views.map((view) => ({
    code: "program_too_large",
    view,
    column: null,
    query: `
      SELECT tenant_id, program_id, sum(bytes) || ' bytes' AS value, count(*) AS rows
        FROM ${measuredView(view, limits)} AS measured
       GROUP BY tenant_id, program_id HAVING sum(bytes) > ${limits.maxProgramBytes}`,
    advice: "leave rows out of the view, or raise MAX_PROGRAM_KB for all builds",
  }));
}

/** The check without values that are not read: patterns on a gigabyte would take long, and fail in the end. */
export function ofReadValues(check: RowCheck, limits: SourceLimits): RowCheck {
  const column = viewColumns[check.view as ProgramView]?.find(({ name }) => name === check.column);
  if (column === undefined || column.kind === "fixed") return check;
  const condition = `CASE WHEN ${isTooLarge(column, limits)} THEN false ELSE ${check.condition} END`;
  return { ...check, condition };
}

function isTooLarge(column: SourceColumn, limits: SourceLimits): string {
  return `coalesce(${sizeOf(column, limits, `(${column.sql})`)} > ${limits.maxValueBytes}, false)`;
}
