import type { ProgramView } from "./contract.ts";
import { type ChildView, ofTenant, type SourceColumn, sizedColumns, viewColumns } from "./source-columns.ts";
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
export function guardedChildQuery(view: ChildView, limits: SourceLimits): string {
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

/** Each row counts this much more than its texts and lists: for its numbers, its dates and its place in memory. */
const bytesPerRow = 64;
/**
 * Each element of a list counts this much more than its text. `array_send` itself adds 4 of these bytes, and 12 + 8 per
 * dimension.
 */
const bytesPerElement = 16;
/** The most that an array takes in memory without its elements: header, six dimensions, padding of a short list. */
const maxArrayOverhead = 64;
/** Longer ids are ill-formed anyway, so this much of one is enough to name it. */
const maxIdCharacters = 1000;
/** `left` counts the characters of each id, so it is asked for long ids only. */
const shortId = `CASE WHEN octet_length(program_id::text) <= ${maxIdCharacters} THEN program_id::text
                        ELSE left(program_id::text, ${maxIdCharacters}) END`;

/**
 * A subquery with the tenant's rows of a view, and their size as `bytes`. `OFFSET 0` keeps PostgreSQL from merging it with the
 * query around it, so each column of the view, which may be a costly query itself, is computed once.
 */
export function measuredRows(view: ProgramView, limits: SourceLimits): string {
  return measured(view, rowsOf(view), [], limits);
}

/** A subquery that counts a program's enrollments by role and status. `childQueries` explains the grouping. */
export const countedEnrollments = `(
      SELECT tenant_id::text COLLATE "default" AS tenant_id, program_id::text COLLATE "default" AS program_id,
             role::text COLLATE "default" AS role, status::text COLLATE "default" AS status, count(*) AS enrolled
        FROM ${rowsOf("enrollments")}
       GROUP BY tenant_id, program_id, tenant_id::text COLLATE "default", program_id::text COLLATE "default",
                role::text COLLATE "default", status::text COLLATE "default")`;

/** Like `measuredRows`, for the counted enrollments. Their number is the column `enrolled`, as in the plain query. */
export function measuredEnrollments(limits: SourceLimits): string {
  return measured("enrollments", `${countedEnrollments} AS counted`, ["enrolled"], limits);
}

function measured(view: ProgramView, from: string, further: readonly string[], limits: SourceLimits): string {
  const columns = viewColumns[view].map(({ sql, name }) => `${sql} AS ${name}`);
  const sizes = sizedColumns(view).map((column) => `coalesce(${sizeOf(column, limits)}, 0)`);
  return `(
    SELECT *, ${[`${bytesPerRow}::bigint`, "id_bytes", ...sizes].join(" + ")} AS bytes
      FROM (SELECT ${shortId} COLLATE "C" AS program_id,
                   tenant_id::text COLLATE "default" AS tenant_id,
                   octet_length(program_id::text) AS id_bytes, ${[...columns, ...further].join(", ")}
              FROM ${from} OFFSET 0) AS plain
    OFFSET 0)`;
}

/** The column of measured rows, or NULL when its value is too large. */
export function cappedColumn(column: SourceColumn, limits: SourceLimits): string {
  if (column.kind === "fixed") return column.name;
  const value = column.kind === "list" ? `to_json(${column.name})` : column.name;
  return `CASE WHEN ${sizeOf(column, limits)} <= ${limits.maxValueBytes} THEN ${value} END`;
}

/** A JSON array: the size of the whole row, then those of its unbounded columns. NULL when nothing is too large. */
export function oversizes(view: ProgramView, limits: SourceLimits): string {
  const sizes = sizedColumns(view).map((column) => sizeOf(column, limits));
  return `CASE WHEN bytes > ${limits.maxProgramBytes} OR greatest(${sizes.join(", ")}) > ${limits.maxValueBytes}
              THEN json_build_array(bytes, ${sizes.join(", ")})::text END`;
}

/**
 * The bytes of a value, NULL for NULL. PostgreSQL knows the size of a text without reading it. Of a list it knows the stored,
 * perhaps compressed, size. Only a list whose stored size is small is unpacked, since unpacking a gigabyte would fail.
 */
function sizeOf({ name, kind }: SourceColumn, { maxValueBytes }: SourceLimits): string {
  if (kind === "text") return `octet_length(${name})`;
  const stored = `pg_column_size(${name})`;
  const unpacked = `octet_length(array_send(${name})) - 12 - 8 * coalesce(array_ndims(${name}), 0)`;
  return `CASE WHEN ${stored} > ${maxValueBytes + maxArrayOverhead} THEN ${stored}
               ELSE ${unpacked} + ${bytesPerElement - 4}::bigint * cardinality(${name}) END`;
}

function rowsOf(view: ProgramView): string {
  return `partner_source.${view} WHERE ${ofTenant}`;
}
