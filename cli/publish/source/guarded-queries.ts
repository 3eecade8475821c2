import { cappedColumn, measuredEnrollments, measuredRows, oversizes } from "./measured-rows.ts";
import { type ChildName, childViews, viewColumns } from "./source-columns.ts";
import { programsPerRound, type SourceLimits } from "./source-limits.ts";

/**
 * The queries for views that hold something large. They give the same rows as the plain ones, but nothing that is too large
 * crosses from the database: its sizes come instead. Behind the plain columns of a row come
 * - `sizes`: NULL, or a JSON array of the bytes of a row that is too large and of its unbounded columns,
 * - `bytes`: of all that the view has of the program,
 * - `ahead`: of the rows that follow within a round, so that a round can be fetched that fits into memory.
 */
export function guardedProgramsQuery(limits: SourceLimits): string {
  const columns = viewColumns.programs.map((column) => {
    const capped = cappedColumn(column, limits);
    // Whether a program is published must be known of a large one, too.
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
 * The sum of a program's rows is kept while they are read, and what is beyond the limit is not gathered: ten million
 * rows of one program are as harmless as ten.
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

/** A sum of small integers is taken along ten times as fast as one of large ones. */
const addend = "least(bytes, 1000000000)::int";

function ahead({ maxProgramBytes }: SourceLimits): string {
  return `sum(least(bytes, ${maxProgramBytes})::int) OVER (
            ORDER BY program_id ROWS BETWEEN 1 FOLLOWING AND ${programsPerRound} FOLLOWING)::text AS ahead`;
}
