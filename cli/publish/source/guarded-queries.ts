import { cappedColumn, measuredEnrollments, measuredRows, oversizes } from "./measured-rows.ts";
import { type ChildName, childViews, viewColumns } from "./source-columns.ts";
import { programsPerRound, type SourceLimits } from "./source-limits.ts";

/**
 * The queries for views that hold something large. They give the same rows as the plain queries, but a value that is too
 * large stays in the database, and its size comes instead. After the plain columns, a row has
 * - `sizes`: NULL, or for a row that is too large a JSON array of its bytes and those of its unbounded columns,
 * - `bytes`: the bytes of all that the view has of the program,
 * - `ahead`: the bytes of the rows that follow within a round, so that each round fits into memory.
 */
export function guardedProgramsQuery(limits: SourceLimits): string {
  const columns = viewColumns.programs.map((column) => {
    const capped = cappedColumn(column, limits);
    // The state decides whether a program is published, so it must be known of a large program, too.
    const isWanted = column.name === "lifecycle_state" || column.kind === "fixed";
    return isWanted ? capped : `CASE WHEN bytes <= ${limits.maxProgramBytes} THEN ${capped} END`;
  });
  return `
  SELECT program_id, tenant_id, ${columns.join(",\n         ")},
         ${oversizes("programs", limits)}, bytes::text, ahead
    FROM (SELECT *, ${ahead(limits)} FROM ${measuredRows("programs", limits)} AS measured) AS looking_ahead
   ORDER BY program_id`;
}

/**
 * The query of a child view. PostgreSQL adds up the bytes of a program's rows and gathers none beyond the limit, so ten
 * million rows of one program are as harmless as ten.
 */
export function guardedChildQuery(child: ChildName, limits: SourceLimits): string {
  const view = childViews[child];
  const rows = view === "enrollments" ? measuredEnrollments(limits) : measuredRows(view, limits);
  const columns = viewColumns[view].map((column) => cappedColumn(column, limits));
  if (view === "enrollments") columns.push("enrolled");
  return `
  SELECT program_id, tenant_id, tuples, sizes, bytes::text, ${ahead(limits)}
    FROM (SELECT program_id, tenant_id,
                 CASE WHEN max(so_far) <= ${limits.maxProgramBytes}
                      THEN json_agg(json_build_array(${columns.join(", ")})) FILTER (WHERE so_far <= ${limits.maxProgramBytes})
                 END AS tuples,
                 min(${oversizes(view, limits)}) AS sizes, max(so_far) AS bytes
            FROM (SELECT *, sum(${addend}) OVER (PARTITION BY program_id, tenant_id ROWS UNBOUNDED PRECEDING) AS so_far
                    FROM ${rows} AS measured) AS summed
           GROUP BY program_id, tenant_id) AS gathered
   ORDER BY program_id`;
}

/** PostgreSQL adds up `int` values ten times as fast as `bigint` values. */
const addend = "least(bytes, 1000000000)::int";

function ahead({ maxProgramBytes }: SourceLimits): string {
  return `sum(least(bytes, ${maxProgramBytes})::int) OVER (
            ORDER BY program_id ROWS BETWEEN 1 FOLLOWING AND ${programsPerRound} FOLLOWING)::text AS ahead`;
}
